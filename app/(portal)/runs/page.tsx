import type { Metadata } from "next";
import { AllRuns } from "@/components/home/all-runs";
import { requireMe } from "../../session";

export const metadata: Metadata = { title: "Runs" };

export default async function RunsPage() {
  await requireMe("/runs");
  return (
    <div className="grid gap-4">
      <h1>Runs</h1>
      <AllRuns />
    </div>
  );
}
