#!/bin/sh
# Runs before the program, in the same directory and with the same variables.
echo "preparing $1"
printf '%s' "$MARK" >mark.txt
