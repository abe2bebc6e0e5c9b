/** The reactor's settings (DI-5, DI-7). An installation changes them; most never need to. */
export interface Settings {
  /** Of the lease under which this reactor decides. */
  epoch: number;
  /** An agent not heard of for longer is given up. */
  agentSilentMs: number;
  /** How long agents that held attempts before a restart have to come back. */
  recoveryGraceMs: number;
  /** A task that was lost this often without blame ends as failed, or a task that kills agents would run for ever. */
  lossLimit: number;
  /** Ended runs stay at hand this long, for late reports and a quick retry. */
  keepEndedMs: number;
  /** An agent whose tasks run for less than this in the mean gets more of them for this time, at most so many a slot. */
  briskMs: number;
  aheadPerSlot: number;
  /** What still waits at an agent after this time, behind a task that has run as long, is taken back. */
  takeBackMs: number;
  /** A task that failed this often goes to the fail-over cluster, where there is one (GB-12). */
  failOverAfter: number;
  /** A task killed for memory gets twice as much, up to this. */
  memoryCapBytes: number;
  /** A lane that waits this long for a host with enough free gets one kept free for it. */
  reserveAfterMs: number;
  /** The most replicas wanted anew in one replication cycle (a tick), for each run. */
  replicasPerCycle: number;
  /** Outputs of at least this many bytes draw the next task to the agent that made them (GR-9). */
  nearBytes: number;
  /** How often a better host is looked for, for tasks that want one (GW-7). */
  discoverMs: number;
  /** A better host ranks at least this many times higher (GW-8). */
  rankGain: number;
  /** What a move takes besides bringing files: stopping, queueing, starting. */
  moveOverheadMs: number;
  /** A host that a task left is not its next one for so long. */
  avoidLeftMs: number;
  /** An agent whose job is suspended is given up after this, if its tasks say nothing else. */
  suspensionMs: number;
}

export const defaultSettings: Omit<Settings, "epoch"> = {
  agentSilentMs: 30_000,
  recoveryGraceMs: 60_000,
  lossLimit: 20,
  keepEndedMs: 60_000,
  briskMs: 100,
  aheadPerSlot: 24,
  takeBackMs: 10_000,
  failOverAfter: 2,
  memoryCapBytes: 64 * 1024 ** 3,
  reserveAfterMs: 10_000,
  replicasPerCycle: 100,
  nearBytes: 1024 ** 2,
  discoverMs: 30_000,
  rankGain: 1.2,
  moveOverheadMs: 5_000,
  avoidLeftMs: 300_000,
  suspensionMs: 600_000,
};
