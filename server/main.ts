/**
 * `npm start`: the supervisor. Starts the portal, prints its address, and stays until it is told to stop.
 */
import { checkoutDirectory } from "./checkout";
import { chooseHome } from "./open-home";
import { type Stack, StackStopped, startStack } from "./stack";
import { describeStartError } from "./start-problem";
import { readSettings } from "./start-settings";

const abort = new AbortController();
let stack: Stack | undefined;
let stopping: Promise<void> | undefined;

const log = (line: string) => console.log(line);

process.on("SIGINT", stop);
process.on("SIGTERM", stop);
process.on("message", (message) => {
  // From `npm run dev`, when a part's program was built again.
  if (typeof message === "object" && message !== null && "restart" in message) stack?.restart(String(message.restart));
});
process.on("disconnect", stop);
stopWithNpm();

try {
  const { home, note } = await chooseHome(checkoutDirectory());
  if (note) log(`Note: ${note}`);
  stack = await startStack({ home, web: true, log, ...readSettings(process.env) }, abort.signal);
  log(`Gridloom is ready: ${stack.url}`);
} catch (error) {
  if (!(error instanceof StackStopped)) {
    console.error(describeStartError(error));
    process.exit(1);
  }
  process.exit(0);
}

/** Once is enough: a second Ctrl-C while it stops changes nothing, since it takes five seconds at most. */
function stop(): void {
  if (stopping) return;
  abort.abort();
  if (!stack) {
    // The start notices the abort, stops what it had started, and ends the process above.
    stopping = Promise.resolve();
    return;
  }
  stopping = stack.stop().then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
}

/** A shell between npm and us may die of the signal meant for us; being adopted by another process shows it. */
function stopWithNpm(): void {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop();
  }, 500).unref();
}
