"use client";
/** Who is signed in, as what, what only admins see, and the way out. */
import { CircleUser, LogOut, ScrollText, Users } from "lucide-react";
import Link from "next/link";
import { signOut } from "next-auth/react";
import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import { useInBrowser } from "@/components/ui/use-in-browser";
import type { Me } from "@/server/api/views";

export function AccountMenu({ me }: { me: Pick<Me, "name" | "email" | "role"> }) {
  const alive = useInBrowser();
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger
        disabled={!alive}
        className="inline-flex h-8 items-center gap-1.5 rounded-md px-2 hover:bg-sunken"
        aria-label={`Account: ${me.name}, ${me.role}`}
        data-testid="account-menu"
      >
        <CircleUser size={16} aria-hidden="true" />
        <span className="max-w-36 truncate text-[0.9rem] max-md:hidden">{me.name}</span>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={6}
          className="z-50 min-w-52 rounded-md border border-rule-strong bg-surface py-1 text-[0.92rem]"
        >
          <div className="border-b px-3 py-2">
            <p className="font-medium">{me.name}</p>
            <p className="break-all text-[0.85rem] text-muted">{me.email}</p>
            <p className="label-caps mt-1" data-testid="account-role">
              {me.role}
            </p>
          </div>
          {me.role === "admin" ? (
            <>
              <Place href="/admin/people" icon={<Users size={15} aria-hidden="true" />} label="People" />
              <Place href="/admin/audit" icon={<ScrollText size={15} aria-hidden="true" />} label="Audit log" />
            </>
          ) : null}
          <DropdownMenu.Item
            onSelect={() => void signOut({ callbackUrl: "/sign-in" })}
            className="flex items-center gap-2 px-3 py-1.5 outline-none data-[highlighted]:bg-sunken"
            data-testid="sign-out"
          >
            <LogOut size={15} aria-hidden="true" /> Sign out
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function Place({ href, icon, label }: { href: string; icon: ReactNode; label: string }) {
  return (
    <DropdownMenu.Item asChild>
      <Link
        href={href}
        className="flex items-center gap-2 px-3 py-1.5 outline-none data-[highlighted]:bg-sunken"
        data-testid={`menu-${label.toLowerCase().replaceAll(" ", "-")}`}
      >
        {icon} {label}
      </Link>
    </DropdownMenu.Item>
  );
}
