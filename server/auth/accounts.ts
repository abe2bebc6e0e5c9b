/**
 * Making accounts. The first account of an installation is its admin; two people who sign up at the same
 * moment on a fresh one take turns at a lock, so exactly one of them is first.
 */
import { Prisma } from "@/generated/prisma/client";
import { recordAudit } from "@/server/portal-db/audit";
import type { PortalDb } from "@/server/portal-db/client";
import { hashPassword, verifyPassword } from "./password";
import type { SessionUser } from "./session";

/** Any number, the same in every process: the lock on "who is first". */
const firstAccountLock = 7_402_113;

const sessionUser = { id: true, email: true, name: true, role: true } as const;

/** Nothing if the e-mail is taken. */
export async function createAccount(
  db: PortalDb,
  account: { email: string; name: string; password: string },
): Promise<SessionUser | undefined> {
  const passwordHash = await hashPassword(account.password);
  try {
    return await db.$transaction((tx) => insertAccount(tx, { email: account.email, name: account.name, passwordHash }));
  } catch (error) {
    if (isTaken(error)) return undefined;
    throw error;
  }
}

/** The account this e-mail and password belong to, in the same time whether the account exists or not. */
export async function findByPassword(db: PortalDb, email: string, password: string): Promise<SessionUser | undefined> {
  const user = await db.user.findUnique({
    where: { email },
    select: { ...sessionUser, passwordHash: true, disabled: true },
  });
  const matches = await verifyPassword(user?.passwordHash, password);
  if (!user || !matches || user.disabled) return undefined;
  return { id: user.id, email: user.email, name: user.name, role: user.role };
}

export type OidcSignIn =
  | { is: "signed-in"; user: SessionUser }
  | { is: "refused"; because: "unverified-email" | "disabled" };

/**
 * The account of a person who comes from the OIDC issuer: the one linked before, else the one with the
 * same e-mail, else a new one. Only an e-mail the issuer has verified links or makes an account, or anyone
 * could take over an account by claiming its address at the issuer.
 */
export async function signInWithOidc(
  db: PortalDb,
  person: { issuer: string; subject: string; email?: string; emailVerified: boolean; name?: string },
): Promise<OidcSignIn> {
  return await db.$transaction(async (tx) => {
    await lockFirstAccount(tx);
    const key = { issuer: person.issuer, subject: person.subject };
    const link = await tx.oidcAccount.findUnique({
      where: { issuer_subject: key },
      select: { user: { select: { ...sessionUser, disabled: true } } },
    });
    if (link) return admit(link.user);
    if (!person.email || !person.emailVerified) return { is: "refused", because: "unverified-email" };
    const email = person.email.toLowerCase();
    const known = await tx.user.findUnique({ where: { email }, select: { ...sessionUser, disabled: true } });
    if (known?.disabled) return { is: "refused", because: "disabled" };
    const user = known ?? (await insertAccount(tx, { email, name: person.name || email }));
    await tx.oidcAccount.create({ data: { ...key, userId: user.id }, select: { userId: true } });
    await recordAudit(tx, { actor: user.id, action: "account.linked", subject: user.id, details: key });
    return { is: "signed-in", user: { id: user.id, email: user.email, name: user.name, role: user.role } };
  });
}

function admit({ disabled, ...user }: SessionUser & { disabled: boolean }): OidcSignIn {
  return disabled ? { is: "refused", because: "disabled" } : { is: "signed-in", user };
}

async function insertAccount(
  tx: Prisma.TransactionClient,
  account: { email: string; name: string; passwordHash?: string },
): Promise<SessionUser> {
  await lockFirstAccount(tx);
  const first = (await tx.user.findFirst({ select: { id: true } })) === null;
  const user = await tx.user.create({
    data: { ...account, role: first ? "admin" : "scientist" },
    select: sessionUser,
  });
  await recordAudit(tx, {
    actor: user.id,
    action: "account.created",
    subject: user.id,
    details: { email: user.email, role: user.role },
  });
  return user;
}

async function lockFirstAccount(tx: Prisma.TransactionClient): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${firstAccountLock})`;
}

function isTaken(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2002";
}
