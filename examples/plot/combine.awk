# Puts pictures of 360 by 360 side by side into one, three to a row, with a caption in the place after the last.
# awk -f combine.awk PICTURE.svg ...
function open_cell() { printf "<g transform=\"translate(%d %d)\">\n", 12 + cell % 3 * 360, 12 + int(cell / 3) * 360 }
BEGIN {
  rows = int((ARGC - 1) / 3) + 1
  width = 3 * 360 + 24
  height = rows * 360 + 24
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", width, height, width, height
  printf "<rect width=\"%d\" height=\"%d\" fill=\"#070c18\"/>\n", width, height
}
FNR == 1 { open_cell(); cell++ }
{ print }
/<\/svg>/ { print "</g>" }
END {
  open_cell()
  print "<g font-family=\"ui-sans-serif, system-ui, sans-serif\">"
  print "<text x=\"40\" y=\"150\" font-size=\"30\" font-weight=\"600\" fill=\"#f3f6fd\">Harmonographs</text>"
  print "<text x=\"40\" y=\"184\" font-size=\"15\" fill=\"#94a3c4\">Two pendulums, slowly dying away,</text>"
  print "<text x=\"40\" y=\"206\" font-size=\"15\" fill=\"#94a3c4\">at five ratios of their frequencies.</text>"
  print "</g></g>"
  print "</svg>"
}
