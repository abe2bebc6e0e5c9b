# Input: "SEED DARTS HITS", in the order of the seeds. Writes pi.txt and the picture pi.svg.
{
  darts += $2
  hits += $3
  estimate[NR] = 4 * hits / darts
}
END {
  pi = 4 * atan2(1, 1)
  value = 4 * hits / darts
  error = sqrt(value * (4 - value) / darts)
  off = value - pi
  if (off < 0) off = -off
  printf "pi is about %.5f\n", value > "pi.txt"
  printf "%d darts in %d tasks, standard error %.5f, off by %.5f\n", darts, NR, error, off > "pi.txt"

  width = 760; height = 380; left = 70; right = 30; top = 84; bottom = 48
  range = 0.0125
  w = width - left - right; h = height - top - bottom
  out = "pi.svg"
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"ui-sans-serif, system-ui, sans-serif\">\n", width, height, width, height > out
  printf "<rect width=\"%d\" height=\"%d\" rx=\"14\" fill=\"#0d1526\"/>\n", width, height > out
  printf "<text x=\"%d\" y=\"40\" font-size=\"22\" font-weight=\"600\" fill=\"#f3f6fd\">&#960; &#8776; %.5f</text>\n", left, value > out
  printf "<text x=\"%d\" y=\"62\" font-size=\"13\" fill=\"#94a3c4\">the estimate after each of %d tasks; the band is one standard error around &#960;</text>\n", left, NR > out
  # The band narrows with the square root of the darts thrown.
  printf "<path fill=\"#569cff\" fill-opacity=\"0.16\" d=\"M" > out
  for (n = 1; n <= NR; n++) printf "%.1f %.1f ", place_x(n), place_y(pi + error * sqrt(NR / n)) > out
  for (n = NR; n >= 1; n--) printf "%.1f %.1f ", place_x(n), place_y(pi - error * sqrt(NR / n)) > out
  print "Z\"/>" > out
  for (tick = -2; tick <= 2; tick++)
    printf "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" font-size=\"12\" fill=\"#7787a8\">%.3f</text>\n", left - 12, place_y(3.14 + tick * 0.005) + 4, 3.14 + tick * 0.005 > out
  printf "<path stroke=\"#7787a8\" stroke-dasharray=\"4 4\" d=\"M%d %.1fH%d\"/>\n", left, place_y(pi), width - right > out
  printf "<path fill=\"none\" stroke=\"#ffc457\" stroke-width=\"2\" stroke-linejoin=\"round\" d=\"M" > out
  for (n = 1; n <= NR; n++) printf "%.1f %.1f ", place_x(n), place_y(estimate[n]) > out
  print "\"/>" > out
  printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\" fill=\"#ffc457\"/>\n", place_x(NR), place_y(value) > out
  printf "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" font-size=\"12\" fill=\"#7787a8\">%d darts</text>\n", width - right, height - 18, darts > out
  print "</svg>" > out
}
function place_x(n) { return left + w * (n - 1) / (NR - 1) }
function place_y(v) {
  if (v > pi + range) v = pi + range
  if (v < pi - range) v = pi - range
  return top + h / 2 - h / 2 * (v - pi) / range
}
