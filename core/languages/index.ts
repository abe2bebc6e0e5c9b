/** Every format a workflow can be given in. A new one is a folder and a line here. */
import { agwl } from "./agwl";
import { dagman } from "./dagman";
import type { Format, ParsedText, Surroundings } from "./format";
import { gel } from "./gel";
import { grand } from "./grand";
import { gridadl } from "./gridadl";
import { gridway } from "./gridway";
import { gxml } from "./gxml";
import { jsdl } from "./jsdl";
import { vdl } from "./vdl";
import { wfformat } from "./wfformat";
import { xpwsl } from "./xpwsl";

export type { Format, ParsedText, PrintedWorkflow, Surroundings } from "./format";

/** The first that recognises a text reads it; the last takes whatever nobody else does. */
export const formats: readonly Format[] = [
  wfformat,
  grand,
  gxml,
  agwl,
  xpwsl,
  jsdl,
  dagman,
  vdl,
  gel,
  gridway,
  gridadl,
];

export interface ParsedWorkflow extends ParsedText {
  /** The name of the format it was read as. */
  format: string;
}

export function formatOf(text: string, fileName?: string): Format {
  return formats.find((candidate) => candidate.detect(text, fileName)) ?? gridadl;
}

export function parseWorkflow(text: string, fileName?: string, readFile?: Surroundings["readFile"]): ParsedWorkflow {
  const format = formatOf(text, fileName);
  const surroundings: Surroundings = {};
  if (fileName !== undefined) surroundings.fileName = fileName;
  if (readFile) surroundings.readFile = readFile;
  return { format: format.name, ...format.parse(text, surroundings) };
}
