import { expect, test } from "@playwright/test";
import { ada, barbara, rosalind } from "./people";

test("another person's run, workflow and files are not there", async ({ browser }) => {
  const hers = await browser.newContext({ storageState: barbara.state });
  const page = await hers.newPage();
  await page.goto("/");
  await page.getByTestId("sample-diamond").click();
  await page.waitForURL(/\/runs\//);
  await expect(page.getByTestId("run").getByTestId("run-state")).toHaveAttribute("data-state", "succeeded", {
    timeout: 15_000,
  });
  const run = new URL(page.url()).pathname;
  await page.getByRole("link", { name: "Open workflow" }).click();
  await page.waitForURL(/\/workflows\//);
  const workflow = new URL(page.url()).pathname;

  const places = [run, workflow, `/api${run}/archive`, `/api${run}/files/data.out`];
  for (const place of places) expect((await hers.request.get(place)).status(), `hers ${place}`).toBe(200);
  for (const person of [rosalind, ada]) {
    const other = await browser.newContext({ storageState: person.state });
    for (const place of places) expect((await other.request.get(place)).status(), `${person.name} ${place}`).toBe(404);
    await other.close();
  }
  const nobody = await browser.newContext();
  for (const place of places.slice(2)) expect([401, 404]).toContain((await nobody.request.get(place)).status());
  await nobody.close();
  await hers.close();
});

test("only an administrator may restrict or switch off the local cluster, and the restriction holds", async ({
  browser,
}) => {
  const scientist = await (await browser.newContext({ storageState: rosalind.state })).newPage();
  await scientist.goto("/clusters/local");
  await expect(scientist.getByTestId("cluster-page")).toBeVisible();
  await expect(scientist.getByTestId("disable-cluster")).toHaveCount(0);

  const admin = await (await browser.newContext({ storageState: ada.state })).newPage();
  await admin.goto("/clusters/local");
  await admin.getByTestId("access-admins").click();
  await expect(async () => {
    await scientist.goto("/");
    await expect(scientist.getByTestId("sample-diamond")).toBeDisabled({ timeout: 1000 });
  }).toPass();
  await admin.getByTestId("access-everyone").click();
  await expect(async () => {
    await scientist.goto("/");
    await expect(scientist.getByTestId("sample-diamond")).toBeEnabled({ timeout: 1000 });
  }).toPass();
});

test("an upload over the limit is refused with a sentence", async ({ browser }) => {
  const hers = await browser.newContext({ storageState: barbara.state });
  const answer = await hers.request.put("/api/upload?name=big.bin", { data: Buffer.alloc(3 * 1024 * 1024) });
  expect(answer.status()).toBe(413);
  expect(await answer.text()).toMatch(/2 MB|limit/);
  await hers.close();
});
