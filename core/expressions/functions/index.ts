/** The built-in functions, by lower-case name. A new one is a line in the list of its kind. */
import { contexts } from "./contexts";
import { conversions, typeTests } from "./convert";
import type { BuiltIn } from "./define";
import { environment } from "./environment";
import { lists } from "./lists";
import { numbers } from "./numbers";
import { patterns } from "./patterns";
import { stringLists } from "./string-lists";
import { strings } from "./strings";
import { times } from "./times";

const byName = new Map<string, BuiltIn>(
  [typeTests, conversions, numbers, strings, lists, stringLists, patterns, times, contexts, environment]
    .flat()
    .map((builtIn) => [builtIn.name.toLowerCase(), builtIn]),
);

export const builtIn = (name: string): BuiltIn | undefined => byName.get(name.toLowerCase());
export const builtInNames = (): string[] => [...byName.values()].map((entry) => entry.name);
