/**
 * The JSON body of a request: bounded, and of the expected shape.
 */
import type { IncomingMessage } from "node:http";
import type { z } from "zod";
import { HttpProblem } from "./http-problem";

/** An agent with more to say says it in several exchanges. */
export const largestBody = 32 * 1024 * 1024;

export async function readJson<Shape>(request: IncomingMessage, shape: z.ZodType<Shape>): Promise<Shape> {
  const parts: Buffer[] = [];
  let size = 0;
  // Not destroyed when we stop reading: the answer goes out on the same connection.
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    const bytes: Buffer = part;
    size += bytes.length;
    if (size > largestBody) throw new HttpProblem(413, `A message may have at most ${largestBody} bytes.`);
    parts.push(bytes);
  }
  let value: unknown;
  try {
    value = JSON.parse(Buffer.concat(parts).toString("utf8"));
  } catch {
    throw new HttpProblem(400, "The message is not JSON.");
  }
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new HttpProblem(400, `The message is not understood: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`);
}
