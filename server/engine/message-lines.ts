/**
 * JSON messages over a stream, one a line: how engine and gateways talk. Lines are bounded, because a line that
 * never ends would fill the memory; messages sent in the same turn leave in one write.
 */

import type { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";

/** The largest message is an end report with a hundred thousand output files. */
export const longestLine = 64 * 1024 * 1024;
/** A reader this far behind is cut off; it comes back and asks for everything anew. */
const longestBacklog = 256 * 1024 * 1024;

export function onLines(socket: Socket, onLine: (line: string) => void, limit = longestLine): void {
  const decoder = new StringDecoder("utf8");
  let rest: string[] = [];
  let restLength = 0;
  socket.on("data", (bytes: Buffer) => {
    const text = decoder.write(bytes);
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      const line = rest.join("") + text.slice(start, end);
      rest = [];
      restLength = 0;
      start = end + 1;
      if (line.length > 0) onLine(line);
    }
    if (start < text.length) {
      rest.push(text.slice(start));
      restLength += text.length - start;
      if (restLength > limit) socket.destroy(new Error(`a message is longer than ${limit} characters`));
    }
  });
}

export class LineWriter<Message> {
  private waiting: string[] = [];

  constructor(private readonly socket: Socket) {}

  send(message: Message): void {
    if (this.waiting.length === 0) setImmediate(() => this.flush());
    this.waiting.push(JSON.stringify(message));
  }

  /** True while the other side does not keep up: leave out what may be left out. */
  get isBehind(): boolean {
    return this.socket.writableNeedDrain;
  }

  private flush(): void {
    const text = `${this.waiting.join("\n")}\n`;
    this.waiting = [];
    if (this.socket.destroyed) return;
    this.socket.write(text);
    if (this.socket.writableLength > longestBacklog) {
      this.socket.destroy(new Error("the other side does not read its messages"));
    }
  }
}
