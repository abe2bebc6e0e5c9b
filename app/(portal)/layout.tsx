import type { ReactNode } from "react";
import { PageFrame } from "../page-frame";

export default function PortalLayout({ children }: { children: ReactNode }) {
  return <PageFrame>{children}</PageFrame>;
}
