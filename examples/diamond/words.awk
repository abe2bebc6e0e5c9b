# Input: "COUNT WORD", the most frequent first. Output: the first ten with bars.
BEGIN { print "The ten commonest words\n" }
$2 != "" && shown < 10 {
  shown++
  bar = ""
  for (i = 0; i < $1; i++) bar = bar "#"
  printf "  %-10s %3d  %s\n", $2, $1, bar
}
END { print "" }
