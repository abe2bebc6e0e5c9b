import { expect, type Page, test } from "@playwright/test";
import { ada, barbara, type Person, rosalind } from "./people";

async function signUp(page: Page, person: Person) {
  await page.getByLabel("Name").fill(person.name);
  await page.getByLabel("E-mail").fill(person.email);
  await page.getByLabel("Password").fill(person.password);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL("/");
}

test("a new installation asks for its first account, which becomes the administrator", async ({ page }) => {
  await page.goto("/");
  await expect(page).toHaveURL(/\/sign-up$/);
  await expect(page.getByTestId("first-account")).toContainText("administrator");
  await signUp(page, ada);
  await page.getByTestId("account-menu").click();
  await expect(page.getByTestId("account-role")).toHaveText(/admin/i);
  await page.context().storageState({ path: ada.state });
});

for (const person of [barbara, rosalind]) {
  test(`a later account is a scientist: ${person.name}`, async ({ page }) => {
    await page.goto("/sign-up");
    await expect(page.getByTestId("first-account")).toHaveCount(0);
    await signUp(page, person);
    await page.getByTestId("account-menu").click();
    await expect(page.getByTestId("account-role")).toHaveText(/scientist/i);
    await page.context().storageState({ path: person.state });
  });
}
