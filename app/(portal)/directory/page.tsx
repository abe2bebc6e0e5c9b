import type { Metadata } from "next";
import { Directory } from "@/components/directory/directory";
import { readQuestion } from "@/components/directory/question";
import { requireMe } from "../../session";

export const metadata: Metadata = { title: "Directory" };

export default async function DirectoryPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}) {
  const user = await requireMe("/directory");
  return (
    <div className="grid gap-5">
      <h1>Directory</h1>
      <Directory question={readQuestion(await searchParams)} admin={user.role === "admin"} />
    </div>
  );
}
