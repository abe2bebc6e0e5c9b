/** The monitoring directory: tasks by name, file, machine, state and run. Own ones; for admins everybody's. */
import { z } from "zod";
import { taskStateNames } from "@/core/engine/task-state";
import { type DirectoryQuery, type Place, searchDirectory } from "../directory/search";
import { id, notStorable, storable } from "../inputs";
import { ownRun } from "../run-views";
import { adminProcedure, protectedProcedure, router } from "../trpc";
import type { DirectoryPage } from "../views";

const words = z.string().trim().max(1024, "This is too long to look for.").refine(storable, notStorable).optional();

const search = z.object({
  task: words,
  file: words,
  host: words,
  state: z.enum(taskStateNames).optional(),
  run: id.optional(),
  runName: words,
  cursor: z
    .string()
    .regex(/^[0-9a-f-]{36}:\d{1,10}$/)
    .nullish(),
  limit: z.number().int().min(1).max(100).default(50),
});

export const directoryRouter = router({
  search: protectedProcedure.input(search).query(async ({ ctx, input }): Promise<DirectoryPage> => {
    const query = queryOf(input);
    for (const run of [query.run, query.from?.run]) if (run) await ownRun(ctx.backend, ctx.user, run);
    const { entries, next, runs } = await searchDirectory(ctx.backend, { ...query, owners: [ctx.user.id] });
    return { items: entries.map(({ owner: _owner, ...entry }) => entry), nextCursor: cursorOf(next), runs };
  }),

  /** Everybody's, or those of people whose name or address has `user` in it. */
  searchAll: adminProcedure
    .input(search.extend({ user: words }))
    .query(async ({ ctx, input }): Promise<DirectoryPage> => {
      const { db } = ctx.backend;
      const like = { contains: input.user ?? "", mode: "insensitive" } as const;
      const people = input.user
        ? await db.user.findMany({ where: { OR: [{ name: like }, { email: like }] }, select: { id: true }, take: 100 })
        : undefined;
      const owners = people?.map((person) => person.id);
      const answer = await searchDirectory(ctx.backend, { ...queryOf(input), ...(owners && { owners }) });
      const names = await db.user.findMany({
        where: { id: { in: [...new Set(answer.entries.map((entry) => entry.owner))] } },
        select: { id: true, name: true },
      });
      const nameOf = new Map(names.map((person) => [person.id, person.name]));
      return {
        items: answer.entries.map(({ owner, ...entry }) => ({ ...entry, user: nameOf.get(owner) ?? owner })),
        nextCursor: cursorOf(answer.next),
        runs: answer.runs,
      };
    }),
});

function queryOf(input: z.infer<typeof search>): Omit<DirectoryQuery, "owners"> {
  const [run, task] = input.cursor?.split(":") ?? [];
  return {
    limit: input.limit,
    ...(input.task && { task: input.task }),
    ...(input.file && { file: input.file }),
    ...(input.host && { host: input.host }),
    ...(input.state && { state: input.state }),
    ...(input.run && { run: input.run }),
    ...(input.runName && { runName: input.runName }),
    ...(run !== undefined && { from: { run, task: Number(task) } }),
  };
}

function cursorOf(next: Place | null): string | null {
  return next && `${next.run}:${next.task}`;
}
