import AxeBuilder from "@axe-core/playwright";
import { expect, type Page, test } from "@playwright/test";
import { ada } from "./people";

test.use({ storageState: ada.state });

const paths = [
  "/",
  "/runs",
  "/workflows",
  "/workflows/new",
  "/clusters",
  "/clusters/new",
  "/clusters/local",
  "/admin/people",
  "/admin/audit",
];

async function serious(page: Page) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target).join(" ")}`);
}

for (const colorScheme of ["light", "dark"] as const) {
  for (const path of paths) {
    test(`no serious accessibility finding: ${path}, ${colorScheme}`, async ({ page }) => {
      await page.emulateMedia({ colorScheme });
      await page.goto(path);
      await expect(page.locator("main")).toBeVisible();
      expect(await serious(page)).toEqual([]);
    });
  }

  test(`no serious accessibility finding: a run with an opened task, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await page.goto("/");
    await page.getByTestId("sample-diamond").click();
    await page.waitForURL(/\/runs\//);
    await expect(page.getByTestId("run").getByTestId("run-state")).toHaveAttribute("data-state", "succeeded", {
      timeout: 15_000,
    });
    await page.getByTestId("task-node").first().click();
    await expect(page.getByTestId("task-panel")).toBeVisible();
    expect(await serious(page)).toEqual([]);
  });
}

test("the graph works by keyboard alone: run a sample, walk along edges, open and close a task", async ({ page }) => {
  await page.goto("/");
  await page.getByTestId("sample-diamond").focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/runs\//);
  await expect(page.getByTestId("run").getByTestId("run-state")).toHaveAttribute("data-state", "succeeded", {
    timeout: 15_000,
  });
  await page.getByTestId("graph").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("task-panel")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("task-panel")).toHaveCount(0);
});

test("nothing is wider than a narrow screen", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of paths) {
    await page.goto(path);
    await expect(page.locator("main")).toBeVisible();
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow, path).toBeLessThanOrEqual(0);
  }
});
