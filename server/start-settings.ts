/**
 * What people set in the environment of `npm start` and of the command line: PORT, HOST, DATABASE_URL,
 * GRIDLOOM_URL, GRIDLOOM_LOCAL_SLOTS, GRIDLOOM_STANDBY. (GRIDLOOM_HOME: see open-home.ts.)
 */
import { StartProblem } from "./start-problem";

export interface StartSettings {
  port?: number;
  host?: string;
  databaseUrl?: string;
  publicUrl?: string;
  slots?: number;
  standby?: boolean;
  development: boolean;
}

export function readSettings(environment: NodeJS.ProcessEnv): StartSettings {
  const { HOST, DATABASE_URL, GRIDLOOM_URL } = environment;
  const port = wholeNumber(environment, "PORT", 0, 65_535);
  const slots = wholeNumber(environment, "GRIDLOOM_LOCAL_SLOTS", 0, 4096);
  if (GRIDLOOM_URL && !/^https?:\/\/[^/]+\/?$/.test(GRIDLOOM_URL)) {
    throw new StartProblem(`GRIDLOOM_URL is “${GRIDLOOM_URL}”: it must look like https://gridloom.example.org`);
  }
  return {
    ...(port !== undefined && { port }),
    ...(HOST && { host: HOST }),
    ...(DATABASE_URL && { databaseUrl: DATABASE_URL }),
    ...(GRIDLOOM_URL && { publicUrl: GRIDLOOM_URL.replace(/\/$/, "") }),
    ...(slots !== undefined && { slots }),
    ...(environment.GRIDLOOM_STANDBY === "1" && { standby: true }),
    development: environment.GRIDLOOM_DEVELOPMENT === "1",
  };
}

function wholeNumber(environment: NodeJS.ProcessEnv, name: string, from: number, to: number): number | undefined {
  const text = environment[name];
  if (text === undefined || text === "") return undefined;
  if (/^\d{1,6}$/.test(text) && Number(text) >= from && Number(text) <= to) return Number(text);
  throw new StartProblem(`${name} is “${text}”: it must be a whole number from ${from} to ${to}.`);
}
