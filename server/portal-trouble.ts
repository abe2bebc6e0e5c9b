/**
 * What keeps every run from going on, told to whoever has a page open. The database may be the very thing that is in
 * trouble, so the word does not go through it: the engine and the database's keeper tell the supervisor, the supervisor
 * tells the web part, and that keeps it for `/api/status`.
 */
import { z } from "zod";

export type TroubleKind = "disk-full" | "database-away";

export interface PortalTrouble {
  is: TroubleKind;
  /** Since when, in ISO 8601. */
  since: string;
}

export interface PortalStatus {
  trouble: (PortalTrouble & { sentence: string }) | null;
}

const sentences: Record<TroubleKind, string> = {
  "disk-full":
    "The portal's disk is full; runs wait until there is room again, and nothing is lost. Whoever runs the portal has to free some space.",
  "database-away": "The portal's database does not answer; runs wait until it is back, and nothing is lost.",
};

export function portalStatus(trouble: PortalTrouble | undefined): PortalStatus {
  return { trouble: trouble ? { ...trouble, sentence: sentences[trouble.is] } : null };
}

const message = z.object({
  trouble: z.object({ is: z.enum(["disk-full", "database-away"]), since: z.string().optional() }).nullable(),
});

/** A message between the processes: `{ trouble: … }`, null when it is over. Undefined: another message. */
export function troubleIn(said: unknown): z.infer<typeof message>["trouble"] | undefined {
  return message.safeParse(said).data?.trouble;
}

/** The supervisor's: who reports what, and what that comes to. */
export class TroubleBoard {
  private readonly reports = new Map<string, TroubleKind>();
  private shown: PortalTrouble | undefined;

  constructor(private readonly onChange: (trouble: PortalTrouble | undefined) => void) {}

  get trouble(): PortalTrouble | undefined {
    return this.shown;
  }

  report(source: string, trouble: TroubleKind | undefined): void {
    if (trouble) this.reports.set(source, trouble);
    else this.reports.delete(source);
    // A full disk also makes the database go away, and is what a person can do something about.
    const kinds = [...this.reports.values()];
    const is = kinds.includes("disk-full") ? "disk-full" : kinds[0];
    if (is === this.shown?.is) return;
    this.shown = is && { is, since: this.shown?.since ?? new Date().toISOString() };
    this.onChange(this.shown);
  }
}
