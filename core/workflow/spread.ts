/**
 * Places in a row, in the given order and at least one step apart, as near as possible to where each would like to be
 * (least squares). Without the steps this is isotonic regression, solved by pooling neighbours that collide.
 */
export function spread(desired: Float64Array, step: number): Float64Array {
  const count = desired.length;
  // Pools of neighbours that stand shoulder to shoulder: their number, and the mean of what they wish.
  const sizes = new Uint32Array(count);
  const means = new Float64Array(count);
  let pools = 0;
  for (let i = 0; i < count; i++) {
    let size = 1;
    let mean = desired[i]! - i * step;
    while (pools > 0 && means[pools - 1]! >= mean) {
      pools -= 1;
      mean = (mean * size + means[pools]! * sizes[pools]!) / (size + sizes[pools]!);
      size += sizes[pools]!;
    }
    sizes[pools] = size;
    means[pools] = mean;
    pools += 1;
  }
  const places = new Float64Array(count);
  let i = 0;
  for (let pool = 0; pool < pools; pool++) {
    for (let k = 0; k < sizes[pool]!; k++, i++) places[i] = means[pool]! + i * step;
  }
  return places;
}
