/**
 * Bearer token → cluster and identities. Looked up in the journal, remembered for a few seconds: that long a revoked
 * token may still work. While the database is away the last answer stands for a minute.
 */
import type { IncomingMessage } from "node:http";
import type { Pool } from "@/server/journal/pool";
import { agentByToken, type TokenHolder } from "@/server/journal/queries/agent-by-token";
import { HttpProblem } from "./http-problem";

interface Remembered {
  answer: Awaited<ReturnType<typeof agentByToken>>;
  at: number;
}

const freshMs = 5_000;
const usableMs = 60_000;
const mostRemembered = 10_000;

export class Authenticator {
  private readonly remembered = new Map<string, Remembered>();

  constructor(private readonly pool: Pool) {}

  async authenticate(request: IncomingMessage): Promise<{ token: string; holder: TokenHolder }> {
    const token = /^Bearer ([\x21-\x7e]{16,512})$/.exec(request.headers.authorization ?? "")?.[1];
    if (!token) throw new HttpProblem(401, "No token was presented; an agent needs the one it was registered with.");
    const answer = await this.holderOf(token);
    if (answer === "unknown-token") throw new HttpProblem(401, "This token is not known here.");
    if (answer === "revoked-token") throw new HttpProblem(401, "This token was revoked.");
    return { token, holder: answer };
  }

  /** After a hello the identities under the token may have changed. */
  forget(token: string): void {
    this.remembered.delete(token);
  }

  private async holderOf(token: string): Promise<Remembered["answer"]> {
    const known = this.remembered.get(token);
    const age = Date.now() - (known?.at ?? 0);
    if (known && age < freshMs) return known.answer;
    try {
      const answer = await agentByToken(this.pool, token);
      if (this.remembered.size >= mostRemembered) this.remembered.clear();
      this.remembered.set(token, { answer, at: Date.now() });
      return answer;
    } catch (error) {
      if (known && age < usableMs) return known.answer;
      const reason = error instanceof Error ? error.message : String(error);
      throw new HttpProblem(503, `The portal's database does not answer; try again (${reason}).`);
    }
  }
}
