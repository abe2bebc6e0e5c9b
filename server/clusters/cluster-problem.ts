/** Something that went wrong between the portal and a cluster, told as one sentence with what to do about it. */
export type ClusterProblemCode =
  /** No connection: name, network, port, or the front end is down. Try again later, less often each time. */
  | "unreachable"
  /** The host key is not the pinned one. Never try again by itself. */
  | "host-key"
  /** Connected, and the key or the account was refused. */
  | "not-authorised"
  /** The scheduler's commands are not there, or its server does not answer. */
  | "no-scheduler"
  /** The scheduler understood and said no. */
  | "refused"
  /** A command did not end in time and was killed. */
  | "timed-out"
  /** A command gave more or other output than we understand. */
  | "unreadable";

export class ClusterProblem extends Error {
  override readonly name = "ClusterProblem";

  constructor(
    readonly code: ClusterProblemCode,
    sentence: string,
  ) {
    super(sentence);
  }

  get sentence(): string {
    return this.message;
  }
}
