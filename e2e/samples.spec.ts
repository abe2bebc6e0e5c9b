import { readFile } from "node:fs/promises";
import { expect, type Page, test } from "@playwright/test";
import { barbara } from "./people";

test.use({ storageState: barbara.state });

async function runSample(page: Page, id: string) {
  await page.goto("/");
  await page.getByTestId(`sample-${id}`).click();
  await page.waitForURL(/\/runs\//);
}

const succeeded = (page: Page, timeout: number) =>
  expect(page.getByTestId("run").getByTestId("run-state")).toHaveAttribute("data-state", "succeeded", { timeout });

async function download(page: Page, name: string): Promise<string> {
  await page.getByTestId("tab-files").click();
  const started = page.waitForEvent("download");
  await page.locator(`[data-testid=file-row][data-file-name="${name}"] a`).click();
  return readFile(await (await started).path(), "utf8");
}

test("the diamond is all blue within five seconds of the click", async ({ page }) => {
  await page.goto("/");
  const clicked = Date.now();
  await page.getByTestId("sample-diamond").click();
  await expect(page.locator('[data-testid=task-node][data-state="finished"]')).toHaveCount(4, {
    timeout: 5000 - (Date.now() - clicked),
  });
  await succeeded(page, 2000);
  await expect(page.getByTestId("run-progress").first()).toHaveAttribute("data-finished", "4");
});

test("a finished task shows its attempt, exit code and output", async ({ page }) => {
  await runSample(page, "diamond");
  await succeeded(page, 15_000);
  await page.locator("[data-testid=task-node]").first().click();
  const panel = page.getByTestId("task-panel");
  await expect(panel.getByTestId("attempt")).toHaveCount(1);
  await expect(panel.getByTestId("attempt")).toContainText(/exit code 0/i);
});

test("the plot sample combines pictures; transient ones are not staged out", async ({ page }) => {
  await runSample(page, "plot");
  await succeeded(page, 20_000);
  await page.getByTestId("tab-files").click();
  const transient = page.getByTestId("file-row").filter({ hasText: "transient" });
  await expect(transient).toHaveCount(5);
  await expect(transient.locator("a")).toHaveCount(0);
  const result = page
    .getByTestId("file-row")
    .filter({ hasNotText: "transient" })
    .filter({ hasText: /\.(svg|html)/ });
  await expect(result).toHaveCount(1);
});

test("two hundred Monte Carlo tasks merge into π", async ({ page }) => {
  await runSample(page, "pi");
  await succeeded(page, 60_000);
  await expect(page.getByTestId("run-progress").first()).toHaveAttribute("data-finished", "201");
  const report = await download(page, "pi.txt");
  const estimate = Number(/3\.\d+/.exec(report)?.[0]);
  expect(Math.abs(estimate - Math.PI)).toBeLessThan(0.02);
});

test("results come as a zip", async ({ page }) => {
  await runSample(page, "diamond");
  await succeeded(page, 15_000);
  const started = page.waitForEvent("download");
  await page.getByTestId("download-archive").click();
  const bytes = await readFile(await (await started).path());
  expect(bytes.subarray(0, 2).toString()).toBe("PK");
  expect(bytes.includes("data.out")).toBe(true);
});
