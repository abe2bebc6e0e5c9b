# Draws the points of a data file as one line that changes colour from its start to its end.
# awk -v out=PICTURE.svg -f plot.awk DATA
BEGIN {
  size = 360
  middle = size / 2
  radius = 138
  count = 0
}
/^# title/ { sub(/^# title */, ""); title = $0; next }
/^#/ || NF < 2 { next }
{ x[count] = middle + $1 * radius; y[count] = middle - 12 - $2 * radius; count++ }
END {
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", size, size, size, size > out
  printf "<rect x=\"6\" y=\"6\" width=\"%d\" height=\"%d\" rx=\"14\" fill=\"#0d1526\"/>\n", size - 12, size - 12 > out
  print "<g fill=\"none\" stroke-width=\"1.1\" stroke-linecap=\"round\" stroke-linejoin=\"round\" stroke-opacity=\"0.9\">" > out
  pieces = 40
  for (p = 0; p < pieces; p++) {
    first = int(p * (count - 1) / pieces)
    last = int((p + 1) * (count - 1) / pieces)
    part = p / (pieces - 1)
    # From warm amber over rose to a cool blue.
    if (part < 0.5) colour = mix(255, 196, 87, 236, 92, 139, part * 2)
    else colour = mix(236, 92, 139, 86, 156, 255, part * 2 - 1)
    printf "<path stroke=\"%s\" d=\"M%.1f %.1f", colour, x[first], y[first] > out
    for (i = first + 1; i <= last; i++) printf " %.1f %.1f", x[i], y[i] > out
    print "\"/>" > out
  }
  print "</g>" > out
  printf "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-family=\"ui-sans-serif, system-ui, sans-serif\" font-size=\"15\" fill=\"#c9d4ea\">%s</text>\n", middle, size - 22, title > out
  print "</svg>" > out
}
function mix(r1, g1, b1, r2, g2, b2, t) {
  return sprintf("rgb(%d,%d,%d)", r1 + (r2 - r1) * t, g1 + (g2 - g1) * t, b1 + (b2 - b1) * t)
}
