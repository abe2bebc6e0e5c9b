/**
 * argon2id, on libuv's threads, a few at a time: each hash takes tens of milliseconds and 19 MiB, and a
 * burst of sign-ins must neither starve file access of threads nor eat the machine's memory.
 */
import { hash, type Options, verify } from "@node-rs/argon2";

/** OWASP's recommendation for argon2id (19 MiB, 2 passes, 1 lane); argon2id is the library's default variant. */
const options: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const atOnce = 2;

export async function hashPassword(password: string): Promise<string> {
  return await inTurn(() => hash(normalised(password), options));
}

/** Takes the same time whether or not there is a hash to compare with, so timing does not tell who has an account. */
export async function verifyPassword(passwordHash: string | null | undefined, password: string): Promise<boolean> {
  decoy ??= hashPassword("a password nobody has");
  const known = passwordHash ?? (await decoy);
  const matches = await inTurn(() => verify(known, normalised(password)));
  return matches && passwordHash != null;
}

let decoy: Promise<string> | undefined;

/** Keyboards differ in how they compose an accented letter; the same characters are the same password. */
function normalised(password: string): string {
  return password.normalize("NFKC");
}

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}
