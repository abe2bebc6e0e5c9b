/**
 * The shim of agent/shim.ts once more, for hosts that have Perl, as nearly all do: the same requests, the same files, the same
 * answers. It reads a request at once instead of byte by byte, and it takes a task's account itself between fork and exec,
 * which spares the program that would otherwise do that: a short task costs one fork and one exec.
 *
 *   U, R            the number of the account to take, and of its group
 *
 * The numbers of the two system calls that Perl has no words for differ by architecture; where they are not known, and where
 * a try at the agent's start does not show what it should (agent/shim-choice.ts), the other shim is used.
 */
export const perlShim = `# Gridloom: starts tasks and keeps their exit status. See agent/shim-perl.ts.
use strict;
use POSIX ();
my %numbers = (
  x86_64 => [157, 302], aarch64 => [167, 261], riscv64 => [167, 261], ppc64le => [171, 325], s390x => [172, 334],
);
my ($prctl, $prlimit) = @{ $numbers{ (POSIX::uname())[4] } || [] };
exit 64 unless $prctl && length(pack('p', '')) == 8;
umask 022;
# A handler, unlike ignoring it, does not reach the tasks.
$SIG{PIPE} = sub { };
binmode STDIN;
open my $null, '<', '/dev/null' or exit 64;
my $nothing = fileno $null;

my $started;
while (defined(my $spool = <STDIN>)) {
  chomp $spool;
  my ($attempt) = $spool =~ m{([^/]*)\\z};
  my $request = hear();
  $started = 0;
  my $status = $request ? attempt($spool, $request) : 125;
  $status = 'never' unless $started;
  note("$spool/exit", "exit $attempt $status\\n") if $started;
  defined syswrite(STDOUT, "ended $status\\n") or system('sync', "$spool/exit", $spool) == 0 or system('sync');
}

sub hear {
  my %request = map { $_ => [] } qw(A B C E);
  my $word = '';
  while (defined(my $line = <STDIN>)) {
    return unless $line =~ s/\\n\\z//;
    my $kind = substr $line, 0, 1;
    if ($kind eq '=') { $word = substr $line, 1 }
    elsif ($kind eq '+') { $word .= "\\n" . substr $line, 1 }
    elsif ($line eq 'G') { return \\%request }
    else { push @{ $request{$line} }, $word }
  }
  return;
}

sub attempt {
  my ($spool, $request) = @_;
  my ($program, $before, $after) = @$request{qw(A B C)};
  my @around = ('around', 'around');
  if (@$before) {
    my $status = run($spool, $request, $before, @around);
    if ($status) {
      note("$spool/decided", "before\\n");
      return $status;
    }
    # The agent has ended the task meanwhile: nothing more is to be started.
    return 125 if -e "$spool/verdict.json";
  }
  my $status = run($spool, $request, $program, 'stdout', $request->{M} ? 'stdout' : 'stderr');
  return $status if !@$after || -e "$spool/verdict.json" || !$started;
  note("$spool/decided", "after $status\\n") or return 125;
  my $return = $status > 128 ? 128 - $status : $status;
  truncate "$spool/around", 0;
  return run($spool, $request, [map { s/\\$RETURN/$return/gr } @$after], @around);
}

# What can be done before the fork is done there: the new process pays for every page that it touches.
sub run {
  my ($spool, $request, $words, $output, $errors) = @_;
  %ENV = map { split /=/, $_, 2 } @{ $request->{E} };
  my ($directory, $blocks, $processes) = map { $_ && $_->[0] } @$request{qw(D F P)};
  my @limits = ([1, pack('Q2', $blocks * 512, $blocks * 512)], [4, pack('Q2', 0, 0)]);
  push @limits, [6, pack('Q2', $processes, $processes)] if $processes;
  open my $out, '>>', "$spool/$output" or return 125;
  open my $err, '>>', "$spool/$errors" or return 125;
  my ($attempt) = $spool =~ m{([^/]*)\\z};
  -d $directory && note("$spool/started", "started $attempt\\n") or return 125;
  my $child = fork;
  if (!defined $child) {
    note("$spool/started", "\\n") unless $started;
    return 125;
  }
  $started = 1;
  if ($child == 0) {
    enter($directory, \\@limits, $request);
    POSIX::dup2($nothing, 0) && POSIX::dup2(fileno $out, 1) && POSIX::dup2(fileno $err, 2) or POSIX::_exit(125);
    exec { $words->[0] } @$words;
    POSIX::_exit($! == POSIX::ENOENT ? 127 : 126);
  }
  waitpid $child, 0;
  return $? & 127 ? 128 + ($? & 127) : $? >> 8;
}

# In the new process: everything that makes it the task's. Nothing is run if any of it fails.
sub enter {
  my ($directory, $limits, $request) = @_;
  chdir $directory or POSIX::_exit(125);
  syscall($prlimit, 0, $_->[0], $_->[1], 0) == 0 or POSIX::_exit(125) for @$limits;
  note('/proc/self/oom_score_adj', '500');
  return unless $request->{U};
  my ($uid, $gid) = ($request->{U}[0] + 0, $request->{R}[0] + 0);
  $) = "$gid $gid";
  POSIX::setgid($gid);
  POSIX::setuid($uid);
  $uid > 0 && $< == $uid && $> == $uid && $( eq "$gid $gid" && $) eq "$gid $gid" or POSIX::_exit(125);
  syscall($prctl, 38, 1, 0, 0, 0) == 0 or POSIX::_exit(125);
}

# Over what is there: emptying a file takes long, and its first line says whose it is.
sub note {
  my ($path, $text) = @_;
  my $file = POSIX::open($path, POSIX::O_WRONLY | POSIX::O_CREAT, 0666);
  return unless defined $file;
  my $written = POSIX::write($file, $text, length $text);
  return POSIX::close($file) && ($written || 0) == length $text;
}
`;
