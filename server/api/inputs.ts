/** The inputs several procedures share, all of them bounded. */
import { z } from "zod";
import { hasAllowedLength } from "@/core/file-name-length";
import { isTaskFileName } from "@/core/protocol/agent";

export const id = z.uuid("This is not an id.");

/** Text the database can hold as it is: no NUL, no half of a character. */
export const storable = (text: string) => !/\0|[\uD800-\uDFFF]/u.test(text);
export const notStorable = "It contains a character that cannot be stored (NUL, or half of a character).";

/** Bytes of a workflow's text. The folded form of a million tasks is short; a machine-written list is not. */
export const maxSourceLength = 16 * 1024 * 1024;

export const source = z
  .string()
  .max(maxSourceLength, "The text is too long: a workflow may have at most 16 million characters.")
  .refine(storable, notStorable);

export const title = z
  .string()
  .trim()
  .min(1, "Please give it a name.")
  .max(200, "The name is too long: at most 200 characters.")
  .refine(storable, notStorable);

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "This is not the hash of a file.");

/** The name the tasks will know an uploaded file by. */
export const uploadName = z
  .string("The file needs a name.")
  .min(1, "The file needs a name.")
  .refine(hasAllowedLength, "The file's name is too long.")
  .refine(storable, notStorable)
  .refine(isTaskFileName, "A file's name must be relative and must not contain “..”.");

/** The name of the file a workflow's text came in. */
export const sourceName = uploadName.nullish();

export const uploadedFile = z.object({ name: uploadName, sha256 });

export const uploadedFiles = z
  .array(uploadedFile)
  .max(10_000, "At most 10,000 files may come with a workflow.")
  .refine((files) => new Set(files.map((file) => file.name)).size === files.length, "Two files have the same name.");

export const page = { limit: z.number().int().min(1).max(100).default(30) };

export const taskIndex = z.number().int().min(0).max(2_147_483_647);
