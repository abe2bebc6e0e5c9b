"use client";
/** A page that could not be made: say so, and offer to try again. */
import Link from "next/link";
import { StatusBanner } from "@/components/portal/status-banner";
import { Button } from "@/components/ui/button";

export default function PageError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <main className="mx-auto grid max-w-md gap-3 px-4 py-16">
      <StatusBanner />
      <h1>This page could not be shown</h1>
      <p className="text-muted">
        The portal met a problem, or its database is restarting. Nothing of yours is lost.
        {error.digest ? ` The log has it under ${error.digest}.` : ""}
      </p>
      <div className="flex items-center gap-4">
        <Button rank="primary" onClick={reset}>
          Try again
        </Button>
        <Link className="link" href="/">
          Home
        </Link>
      </div>
    </main>
  );
}
