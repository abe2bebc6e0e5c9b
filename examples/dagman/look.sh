#!/bin/sh
# Runs after the program: NAME STATUS EXPECTED. Its own exit code says whether the task succeeded.
[ "$2" = "$3" ] && [ -s "$1.txt" ] && grep -q "^$3 lines" "$1.log"
