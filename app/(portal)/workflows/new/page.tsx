import type { Metadata } from "next";
import { WorkflowEditor } from "@/components/workflow-editor/workflow-editor";
import { requireMe } from "../../../session";

export const metadata: Metadata = { title: "New workflow" };

export default async function NewWorkflowPage() {
  await requireMe("/workflows/new");
  return <WorkflowEditor />;
}
