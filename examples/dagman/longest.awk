{ if (length($0) > length(longest)) longest = $0 } END { print "the longest word is", longest }
