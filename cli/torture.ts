/**
 * `gridloom torture`: the fault sweep. Runs simulated grids from seeds, breaks everything that can break, and checks
 * the engine's rules after each event. Exit code 0 if every rule held, 1 if one was broken, 2 if the command was wrong.
 */
import { isPlant, type Plant, plants } from "@/core/simulation/plants";
import { runSeed } from "@/core/simulation/torture";
import type { CommandIo } from "./io";

type TortureIo = Pick<CommandIo, "stdout" | "stderr">;

interface Wishes {
  from: number;
  seeds: number;
  /** One seed was asked for: its whole story is told. */
  replay: boolean;
  plant?: Plant;
}

const usage = `usage: gridloom torture [--seeds N] [--from S] [--plant NAME]
       gridloom torture --seed S [--plant NAME]

  --seeds N     run N seeds (100 unless told)
  --from S      beginning with seed S (1 unless told)
  --seed S      replay one seed and print its event log
  --plant NAME  turn on a bug on purpose: ${plants.join(", ")}
`;

/** More than this many broken seeds say nothing new. */
const enough = 10;

export function runTorture(argv: readonly string[], io: TortureIo): number {
  const wishes = readWishes(argv);
  if (typeof wishes === "string") {
    io.stderr(`${wishes}\n\n${usage}`);
    return 2;
  }
  return wishes.replay ? replay(wishes, io) : sweep(wishes, io);
}

function replay({ from, plant }: Wishes, io: TortureIo): number {
  const result = runSeed(from, plant ? { plant } : {});
  io.stdout(`${result.log.join("\n")}\n`);
  io.stdout(`seed ${from}: ${result.events} events, log ${result.hash}, ${result.violation ?? "every rule held"}\n`);
  return result.ok ? 0 : 1;
}

function sweep({ from, seeds, plant }: Wishes, io: TortureIo): number {
  let events = 0;
  let broken = 0;
  let ran = 0;
  for (let seed = from; seed < from + seeds; seed += 1) {
    const result = runSeed(seed, plant ? { plant } : {});
    ran += 1;
    events += result.events;
    if (result.ok) continue;
    broken += 1;
    io.stdout(`seed ${seed}: ${result.violation}\n`);
    const again = `torture --seed ${seed}${plant ? ` --plant ${plant}` : ""}`;
    io.stdout(`  replay it with: npm run -s gridloom -- ${again}\n`);
    // A planted bug is caught once; that is what was asked.
    if (plant || broken === enough) break;
  }
  const verdict = broken === 0 ? "every rule held" : `${broken} broke a rule`;
  io.stdout(`${ran} seeds from ${from}, ${events} events: ${verdict}\n`);
  return broken === 0 ? 0 : 1;
}

/** A sentence if the arguments make no sense. */
function readWishes(argv: readonly string[]): Wishes | string {
  const wishes: Wishes = { from: 1, seeds: 100, replay: false };
  for (let i = 0; i < argv.length; i += 2) {
    const option = argv[i];
    const value = argv[i + 1];
    if (option === "--plant") {
      if (value === undefined || !isPlant(value)) return `--plant takes one of ${plants.join(", ")}.`;
      wishes.plant = value;
      continue;
    }
    if (option !== "--seeds" && option !== "--from" && option !== "--seed") return `There is no option ${option}.`;
    const number = Number(value);
    const least = option === "--seeds" ? 1 : 0;
    if (!value || !Number.isInteger(number) || number < least || number > 0xffff_ffff) {
      return `${option} takes a whole number.`;
    }
    if (option === "--seeds") wishes.seeds = number;
    else wishes.from = number;
    if (option === "--seed") wishes.replay = true;
  }
  return wishes;
}
