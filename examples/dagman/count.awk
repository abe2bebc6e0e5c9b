END { print NR, "words" }
