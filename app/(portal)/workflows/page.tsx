import type { Metadata } from "next";
import { AllWorkflows } from "@/components/home/all-workflows";
import { ButtonLink } from "@/components/ui/button";
import { requireMe } from "../../session";

export const metadata: Metadata = { title: "Workflows" };

export default async function WorkflowsPage() {
  await requireMe("/workflows");
  return (
    <div className="grid gap-4">
      <div className="flex items-center justify-between">
        <h1>Workflows</h1>
        <ButtonLink href="/workflows/new" rank="primary">
          New workflow
        </ButtonLink>
      </div>
      <AllWorkflows />
    </div>
  );
}
