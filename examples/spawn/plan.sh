# One task for each line of the file, and one that joins what they made.
number=0
files=
while read -r word; do
  number=$((number + 1))
  echo "task count$number -e \"printf '$word ' > part$number; printf '$word' | wc -c >> part$number\" -o part$number"
  files="$files part$number"
done < "$1"
echo "task join -e \"cat part* > lengths.txt\" -i$files -o lengths.txt"
