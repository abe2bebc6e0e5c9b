/**
 * One seed, many streams: every host, task and attempt draws its chances from a stream of its own. What one of them
 * draws does not depend on what happened to the others, so two policies are compared on the same grid with the same luck.
 */
import { SeededRandom } from "@/core/simulation/random";

export function stream(seed: number, ...parts: readonly (string | number)[]): SeededRandom {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  const name = parts.join("/");
  for (let i = 0; i < name.length; i += 1) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return new SeededRandom(hash ^ (hash >>> 16));
}
