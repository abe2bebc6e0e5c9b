# Input: one word a line. Output: how many words there are of each length.
length($0) > 0 {
  count[length($0)]++
  words++
  if (length($0) > longest) longest = length($0)
}
END {
  print "Words by length\n"
  for (n = 1; n <= longest; n++) {
    bar = ""
    for (i = 0; i < count[n]; i++) bar = bar "#"
    printf "  %2d letters %3d  %s\n", n, count[n], bar
  }
  printf "\n%d words in all\n", words
}
