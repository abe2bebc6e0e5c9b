import type { ReactNode } from "react";
import { PageFrame } from "../page-frame";

export default function AccountLayout({ children }: { children: ReactNode }) {
  return <PageFrame narrow>{children}</PageFrame>;
}
