/** The command line client: `npm run -s gridloom -- COMMAND …`. */
import { runCheck } from "./check";
import { runCluster } from "./cluster";
import { runConvert } from "./convert";
import { runEval } from "./eval";
import { type CommandIo, processIo } from "./io";
import { runMatch } from "./match";
import { runRun } from "./run";
import { runSimulate } from "./simulate";
import { runTorture } from "./torture";

interface Subcommand {
  usage: string;
  about: string;
  /** Returns the exit code. */
  run(argv: string[], io: CommandIo): Promise<number> | number;
}

const subcommands: Record<string, Subcommand> = {
  run: {
    usage: "run FILE [--out DIR] [--policies FILE.json] [--json]",
    about: "run a workflow and put its results into DIR",
    run: runRun,
  },
  check: {
    usage: "check FILE [--json] [--graph]",
    about: "say what a workflow is and what is wrong with it",
    run: runCheck,
  },
  cluster: {
    usage: "cluster FILE [--algorithm NAME] [--granularity N] [--json]",
    about: "say how a workflow's tasks would go together",
    run: runCluster,
  },
  convert: {
    usage: "convert FILE --to FORMAT [-o OUT]",
    about: "write a workflow in another format",
    run: runConvert,
  },
  eval: {
    usage: "eval 'EXPR' [--my FILE] [--target FILE]",
    about: "print the value of a ClassAd expression",
    run: runEval,
  },
  match: {
    usage: "match 'EXPR' --hosts FILE [--rank 'EXPR']",
    about: "say which hosts satisfy a requirement, best first",
    run: runMatch,
  },
  simulate: {
    usage: "simulate FILE --grid FILE [--seed N] [--json]",
    about: "say what would happen to a workflow on a simulated grid",
    run: runSimulate,
  },
  torture: {
    usage: "torture [--seeds N] [--from S] [--seed S] [--plant NAME]",
    about: "drive the engine through simulated faults",
    run: runTorture,
  },
};

const io = processIo();
const [name, ...rest] = process.argv.slice(2);
process.exitCode = await dispatch(name, rest);

async function dispatch(command: string | undefined, argv: string[]): Promise<number> {
  if (command === undefined || command === "help" || command === "--help" || command === "-h") {
    io.stdout(help());
    return command === undefined ? 2 : 0;
  }
  const subcommand = Object.hasOwn(subcommands, command) ? subcommands[command] : undefined;
  if (!subcommand) {
    io.stderr(`gridloom: there is no command “${command}”.\n\n${help()}`);
    return 2;
  }
  return subcommand.run(argv, io);
}

function help(): string {
  const width = Math.max(...Object.values(subcommands).map(({ usage }) => usage.length));
  const lines = Object.values(subcommands).map(({ usage, about }) => `  ${usage.padEnd(width)}   ${about}`);
  return `Usage: npm run -s gridloom -- COMMAND …\n\n${lines.join("\n")}\n`;
}
