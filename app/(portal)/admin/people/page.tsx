import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { People } from "@/components/admin/people";
import { api, requireMe } from "../../../session";

export const metadata: Metadata = { title: "People" };

export default async function PeoplePage() {
  const user = await requireMe("/admin/people");
  if (user.role !== "admin") notFound();
  const people = await (await api()).people.list({});
  return (
    <div className="grid gap-5">
      <h1>People</h1>
      <People initial={people} me={user.id} />
    </div>
  );
}
