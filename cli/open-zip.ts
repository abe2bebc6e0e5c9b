/** A zip a command was given: the workflow in it, and the files it names. Nothing after having said why it cannot be read. */
import { companionName } from "@/core/languages/companions";
import { pickWorkflow } from "@/core/languages/pick";
import { unzip } from "@/core/unzip";
import type { CommandIo } from "./io";

type ZipIo = Pick<CommandIo, "readBytes" | "stderr">;

export async function openZip(file: string, io: ZipIo) {
  const complain = (why: string): undefined => {
    io.stderr(`${file} cannot be read: ${why}\n`);
  };
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = await io.readBytes(file);
  } catch (error) {
    return complain(error instanceof Error ? error.message : String(error));
  }
  const read = await unzip(bytes);
  if (!read.ok) return complain(read.sentence);
  const texts = read.files.map(({ name, bytes: content }) => ({ name, text: new TextDecoder().decode(content) }));
  const picked = pickWorkflow(texts);
  if (picked.is === "none") return complain("there is no workflow in it.");
  if (picked.is === "choice") {
    const names = picked.candidates.map(({ file: candidate }) => candidate.name).join(", ");
    return complain(`there is more than one workflow in it: ${names}. Unpack it and name one.`);
  }
  const { name, text } = picked.file;
  const folder = name.slice(0, name.lastIndexOf("/") + 1);
  const byName = new Map(texts.map((one) => [one.name, one.text]));
  return {
    name,
    text,
    readFile: (asked: string) => byName.get(folder + companionName(asked)) ?? byName.get(companionName(asked)),
  };
}
