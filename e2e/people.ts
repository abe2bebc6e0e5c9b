/** The people of the browser tests. `accounts.setup.ts` signs them up; a test starts signed in with `storageState`. */
import { join } from "node:path";

export interface Person {
  name: string;
  email: string;
  password: string;
  /** Where the browser's state is kept once they have signed in. */
  state: string;
}

const person = (name: string, password: string): Person => ({
  name,
  email: `${name.toLowerCase()}@example.org`,
  password,
  state: join(process.env.GRIDLOOM_E2E_HOME ?? ".", `browser-${name.toLowerCase()}.json`),
});

/** The first to sign up, and so the administrator. */
export const ada = person("Ada", "weaving numbers into cards");
export const barbara = person("Barbara", "jumping genes in maize");
export const rosalind = person("Rosalind", "photograph fifty-one");
