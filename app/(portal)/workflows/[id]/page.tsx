import type { Metadata } from "next";
import { WorkflowEditor } from "@/components/workflow-editor/workflow-editor";
import { api, orNotFound, requireMe } from "../../../session";

export const metadata: Metadata = { title: "Workflow" };

export default async function WorkflowPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  await requireMe(`/workflows/${id}`);
  const workflow = await orNotFound((await api()).workflows.get({ id }));
  return <WorkflowEditor key={id} initial={workflow} />;
}
