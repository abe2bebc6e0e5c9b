/** Requirement and rank in a form: rows and text in step, and the hosts that match, as one types (PO-5). */
import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { ada } from "./people";

test.use({ storageState: ada.state });

test("text becomes rows, rows become text, and the matching hosts follow both", async ({ page }) => {
  await page.goto("/workflows/new");
  const options = page.getByTestId("run-options");
  await options.getByText("Options").click();
  const count = options.getByTestId("host-count");
  await expect(count).toHaveText(/^1 of 1 host matches, \d+ free slots?\.$/, { timeout: 20_000 });

  const text = options.getByTestId("policy-jobRequirements");
  const rows = options.getByTestId("policy-jobRequirements-rows");
  await text.fill('Memory >= 16 && OpSys == "LINUX"');
  await expect(rows.getByLabel("Attribute")).toHaveCount(2);
  await expect(rows.getByLabel("Attribute").first()).toHaveValue("Memory");
  await expect(rows.getByLabel("Value").first()).toHaveValue("16");
  await expect(rows).toContainText("MB");
  await expect(count).toContainText("1 of 1 host matches");

  await rows.getByLabel("Value").first().fill("999999999");
  await expect(text).toHaveValue('Memory >= 999999999 && OpSys == "LINUX"');
  await expect(options.getByTestId("no-host")).toBeVisible();
  await expect(options.getByTestId("host-refused")).toContainText(/Memory >= 999999999 — here \d+/);

  await rows.getByRole("button", { name: "Remove Memory" }).click();
  await expect(text).toHaveValue('OpSys == "LINUX"');
  await expect(count).toContainText("1 of 1 host matches");

  // A row that is being filled in is not lost, and not yet part of the text.
  await rows.getByRole("button", { name: "Row", exact: true }).click();
  await expect(rows.getByLabel("Attribute")).toHaveCount(2);
  await expect(text).toHaveValue('OpSys == "LINUX"');
  await rows.getByLabel("Attribute").nth(1).fill("Cpus");
  await rows.getByLabel("Value").nth(1).fill("1");
  await expect(text).toHaveValue('OpSys == "LINUX" && Cpus >= 1');

  await text.fill("Memory > 2 * Cpus");
  await expect(options.getByTestId("policy-jobRequirements-text-only")).toContainText("more than rows can");
  await expect(count).toContainText("1 of 1 host matches");

  await options.getByTestId("rank-presets").selectOption("fastest");
  await expect(options.getByTestId("policy-rank")).toHaveValue("KFlops");
  await options.getByTestId("policy-rank").fill("Cpus + 10 * FreeSlots");
  await expect(options.getByTestId("host-matching")).toContainText("10 * FreeSlots");

  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.filter(({ impact }) => impact === "serious" || impact === "critical")).toEqual([]);
});
