import AxeBuilder from "@axe-core/playwright";
import { expect, type Page, test } from "@playwright/test";
import { ada } from "./people";

test.use({ storageState: ada.state });

const runState = (page: Page) => page.getByTestId("run").getByTestId("run-state");
const node = (page: Page, name: string) => page.locator(`[data-testid=task-node][data-task-name="${name}"]`);

async function write(page: Page, name: string, text: string) {
  await page.goto("/workflows/new");
  await page.getByTestId("workflow-name").fill(name);
  await page.getByTestId("workflow-text").locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
  await expect(page.getByTestId("run-workflow")).toBeEnabled();
}

async function run(page: Page) {
  await page.getByTestId("run-workflow").click();
  await page.waitForURL(/\/runs\//);
}

async function serious(page: Page) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map((found) => found.target).join(" ")}`);
}

test("a run that no host may take says which clause fails, and goes on when its policies are changed", async ({
  page,
}) => {
  await write(page, "Too picky", 'task first -e "echo 1 > a" -o a\ntask second -e "cat a > b" -i a -o b\n');
  const options = page.getByTestId("run-options");
  await expect(options.getByLabel("Retries")).toBeHidden();
  await options.getByText("Options").click();
  await options.getByLabel("JobRequirements").fill("Memory >= ");
  await expect(page.getByTestId("policy-jobRequirements-error")).toContainText("Column");
  await expect(page.getByTestId("run-workflow")).toBeDisabled();
  await expect(page.getByTestId("cannot-run")).toContainText("One of the options cannot be read.");
  await options.getByLabel("JobRequirements").fill("Memory >= 999999999");
  await options.getByLabel("Retries").fill("0");
  await expect(options).toContainText("2 options set");
  await run(page);

  const waiting = page.getByTestId("waiting");
  await expect(waiting).toContainText("1 task could run: none of 1 host matches", { timeout: 15_000 });
  await expect(waiting).toContainText("Memory >= 999999999");
  await node(page, "first").click();
  await expect(page.getByTestId("task-why")).toContainText("Memory >= 999999999");

  await waiting.getByRole("button", { name: "See the policies" }).click();
  const policies = page.getByTestId("policies");
  const requirements = policies.getByLabel("JobRequirements");
  await expect(requirements).toHaveValue("Memory >= 999999999");
  await expect(page.getByTestId("save-policies")).toBeDisabled();
  await requirements.fill("Memory >= 1 &&");
  await expect(page.getByTestId("policy-jobRequirements-error")).toContainText("Column");
  await expect(page.getByTestId("save-policies")).toBeDisabled();
  await page.getByTestId("tab-events").click();
  await page.getByTestId("tab-policies").click();
  await expect(requirements).toHaveValue("Memory >= 1 &&");
  await page.getByTestId("reset-policies").click();
  await expect(requirements).toHaveValue("Memory >= 999999999");
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await serious(page)).toEqual([]);
  }

  await requirements.fill("Memory >= 1");
  await page.getByTestId("save-policies").click();
  await expect(runState(page)).toHaveAttribute("data-state", "succeeded", { timeout: 20_000 });
  await expect(waiting).toHaveCount(0);
  await expect(page.getByTestId("policies-over")).toContainText("can no longer be changed");
  await expect(requirements).toBeDisabled();
  await expect(requirements).toHaveValue("Memory >= 1");
});

test("the task panel says that an attempt passed its deadline, and why there is another", async ({ page }) => {
  await write(page, "Too late", 'task slow -e "sleep 5; echo 1 > s" -o s\n');
  await page.getByTestId("run-options").getByText("Options").click();
  await page.getByLabel("Deadline").fill("1");
  await run(page);
  await expect(node(page, "slow")).toHaveAttribute("data-state", "running");
  await node(page, "slow").click();
  await expect(page.getByTestId("attempts")).toContainText("The attempt passed its deadline.", { timeout: 15_000 });
  await expect(page.getByTestId("placed").first()).toContainText("passed its deadline");
  await page.getByTestId("tab-policies").click();
  await page.getByTestId("policies").getByLabel("Deadline").fill("");
  await page.getByTestId("save-policies").click();
  await expect(runState(page)).toHaveAttribute("data-state", "succeeded", { timeout: 20_000 });
});
