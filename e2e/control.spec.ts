import { expect, type Page, test } from "@playwright/test";
import { cuttableLink } from "./cuttable-link";
import { ada } from "./people";

test.use({ storageState: ada.state });

async function start(page: Page, name: string, text: string) {
  await page.goto("/workflows/new");
  await page.getByTestId("workflow-name").fill(name);
  await page.getByTestId("workflow-text").locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
  await expect(page.getByTestId("run-workflow")).toBeEnabled();
  await page.getByTestId("run-workflow").click();
  await page.waitForURL(/\/runs\//);
}

const runState = (page: Page) => page.getByTestId("run").getByTestId("run-state");
const node = (page: Page, name: string) => page.locator(`[data-testid=task-node][data-task-name="${name}"]`);

test("output is live while a task runs, and a run can be killed", async ({ page }) => {
  await start(
    page,
    "Endless",
    'task talk -e "i=0; while true; do i=$((i+1)); echo line $i; sleep 0.2; done"\ntask slow -e "sleep 600" -o slow.out\ntask after -e true -i slow.out\n',
  );
  await expect(node(page, "talk")).toHaveAttribute("data-state", "running");
  await expect(node(page, "after")).toHaveAttribute("data-state", "waiting");
  await node(page, "talk").click();
  await expect(page.getByTestId("stdout")).toContainText("line 3");
  await expect(page.getByTestId("stdout")).toContainText("line 12");
  await page.getByTestId("kill-run").click();
  await page.getByTestId("confirm").click();
  await expect(runState(page)).toHaveAttribute("data-state", "killed");
  await expect(node(page, "talk")).toHaveAttribute("data-state", "cancelled");
});

test("a failure says why, the independent part goes on, and the failed is retried", async ({ page }) => {
  await start(
    page,
    "Half broken",
    'task bad -e "echo something is wrong >&2; exit 3" -o bad.out\ntask next -e true -i bad.out -o next.out\ntask good -e "echo fine > good.out" -o good.out\n',
  );
  await expect(runState(page)).toHaveAttribute("data-state", "failed", { timeout: 20_000 });
  await expect(node(page, "good")).toHaveAttribute("data-state", "finished");
  await expect(node(page, "next")).toHaveAttribute("data-state", "waiting");
  await node(page, "bad").click();
  await expect(page.getByTestId("attempt").first()).toContainText("exit code 3");
  const attempts = await page.getByTestId("attempt").count();
  await page.getByTestId("show-stderr").click();
  await expect(page.getByTestId("stderr")).toContainText("something is wrong");
  await page.getByTestId("retry-failed").click();
  await expect(async () => expect(await page.getByTestId("attempt").count()).toBeGreaterThan(attempts)).toPass();
  await expect(runState(page)).toHaveAttribute("data-state", "failed", { timeout: 20_000 });
});

for (const [what, text, says] of [
  ["an executable that does not exist", "task gone -e no-such-program\n", /no-such-program/],
  ["an output that was not written", "task forgetful -e true -o promised.txt\n", /promised\.txt/],
] as const) {
  test(`the task panel explains ${what}`, async ({ page }) => {
    await start(page, what, text);
    await expect(runState(page)).toHaveAttribute("data-state", "failed", { timeout: 20_000 });
    await page.getByTestId("task-node").click();
    await expect(page.getByTestId("task-panel")).toContainText(says);
  });
}

test("a page that lost its connection says so and catches up without a reload", async ({ page }) => {
  const link = await cuttableLink(Number(process.env.GRIDLOOM_E2E_PORT));
  await start(
    page,
    "Catching up",
    'task one -e "sleep 8"\ntask two -e "sleep 4; touch t" -o t\ntask three -e true -i t\n',
  );
  await page.goto(link.url + new URL(page.url()).pathname);
  await expect(node(page, "one")).toHaveAttribute("data-state", "running");
  await expect(page.getByTestId("connection")).toHaveAttribute("data-connection", "live");
  await page.evaluate(() => Object.assign(window, { stillTheSamePage: true }));
  link.cut();
  await expect(page.getByTestId("connection")).toContainText("connection lost");
  // Long enough for the run to end while nobody is told.
  await page.waitForTimeout(9000);
  await expect(node(page, "one")).toHaveAttribute("data-state", "running");
  link.mend();
  await expect(runState(page)).toHaveAttribute("data-state", "succeeded", { timeout: 30_000 });
  await expect(page.locator('[data-testid=task-node][data-state="finished"]')).toHaveCount(3);
  expect(await page.evaluate(() => "stillTheSamePage" in window)).toBe(true);
  await link.close();
});
