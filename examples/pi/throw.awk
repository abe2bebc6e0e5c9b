# Throws darts at a square and counts those that hit the circle in it.
# awk -v seed=SEED -v out=FILE -f throw.awk
# The generator is Park and Miller's, in plain arithmetic, so that every awk on every machine gives the same result.
BEGIN {
  darts = 25000
  modulus = 2147483647
  state = (seed * 104729 + 7919) % modulus
  for (i = 0; i < 10; i++) state = (state * 16807) % modulus
  for (i = 0; i < darts; i++) {
    state = (state * 16807) % modulus
    x = state / modulus
    state = (state * 16807) % modulus
    y = state / modulus
    if (x * x + y * y < 1) hits++
  }
  print seed, darts, hits > out
}
