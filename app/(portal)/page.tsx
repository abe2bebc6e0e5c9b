import { redirect } from "next/navigation";
import { Home } from "@/components/home/home";
import { watchedRuns } from "@/components/home/watched-runs";
import { api, me } from "../session";

export default async function HomePage() {
  const caller = await api();
  if (!(await me())) redirect((await caller.account.needsFirstAccount()) ? "/sign-up" : "/sign-in");
  const [runs, workflows, samples, clusters] = await Promise.all([
    caller.runs.list({ limit: watchedRuns }),
    caller.workflows.list({ limit: 6 }),
    caller.samples.list(),
    caller.clusters.list(),
  ]);
  return <Home runs={runs.items} workflows={workflows.items} samples={samples} clusters={clusters} />;
}
