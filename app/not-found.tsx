import Link from "next/link";
import { PageFrame } from "./page-frame";

export default function NotFound() {
  return (
    <PageFrame narrow>
      <div className="grid gap-3 py-10">
        <h1>There is no such page</h1>
        <p className="text-muted">The link may be old, or what it leads to belongs to someone else.</p>
        <p>
          <Link className="link" href="/">
            Home
          </Link>
          {" · "}
          <Link className="link" href="/runs">
            Your runs
          </Link>
          {" · "}
          <Link className="link" href="/workflows">
            Your workflows
          </Link>
        </p>
      </div>
    </PageFrame>
  );
}
