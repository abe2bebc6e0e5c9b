/**
 * A refusal with its HTTP status and a sentence for whoever reads the agent's log.
 */
export class HttpProblem extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
    this.name = "HttpProblem";
  }
}
