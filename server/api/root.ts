/** The whole API: one router a noun. */
import { accountRouter } from "./routers/account";
import { clustersRouter } from "./routers/clusters";
import { directoryRouter } from "./routers/directory";
import { filesRouter } from "./routers/files";
import { hostsRouter } from "./routers/hosts";
import { keysRouter } from "./routers/keys";
import { peopleRouter } from "./routers/people";
import { runsRouter } from "./routers/runs";
import { samplesRouter } from "./routers/samples";
import { tasksRouter } from "./routers/tasks";
import { workflowsRouter } from "./routers/workflows";
import { createCallerFactory, router } from "./trpc";

export const appRouter = router({
  account: accountRouter,
  workflows: workflowsRouter,
  runs: runsRouter,
  tasks: tasksRouter,
  files: filesRouter,
  clusters: clustersRouter,
  hosts: hostsRouter,
  keys: keysRouter,
  people: peopleRouter,
  directory: directoryRouter,
  samples: samplesRouter,
});

export type AppRouter = typeof appRouter;

export const createCaller = createCallerFactory(appRouter);
