BEGIN {
  srand(seed + 1)
  for (i = 0; i < 10000; i++) { x = rand(); y = rand(); if (x * x + y * y < 1) hits++ }
  printf "task %d of %d: %.4f\n", seed, of, 4 * hits / 10000
}
