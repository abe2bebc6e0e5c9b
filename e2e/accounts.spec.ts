import { expect, type Page, test } from "@playwright/test";
import { ada, barbara, type Person } from "./people";

async function trySignIn(page: Page, email: string, password: string) {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

test("signed out, every page leads to sign-in and back", async ({ page }) => {
  await page.goto("/runs");
  await expect(page).toHaveURL(/\/sign-in/);
  await trySignIn(page, barbara.email, barbara.password);
  await expect(page).toHaveURL(/\/runs$/);
});

test("a person signs out", async ({ page }) => {
  await page.goto("/sign-in");
  await trySignIn(page, barbara.email, barbara.password);
  await page.getByTestId("account-menu").click();
  await page.getByTestId("sign-out").click();
  await expect(page).toHaveURL(/\/sign-in/);
  await page.goto("/");
  await expect(page).toHaveURL(/\/sign-in/);
});

test("a wrong password and an unknown e-mail get the same answer", async ({ page }) => {
  await page.goto("/sign-in");
  await trySignIn(page, barbara.email, "not her password");
  const alert = page.getByTestId("sign-in").getByRole("alert");
  await expect(alert).toBeVisible();
  const answer = await alert.textContent();
  await trySignIn(page, "nobody@example.org", "not her password");
  await expect(alert).toHaveText(answer ?? "");
});

test("repeated failures are slowed down and say for how long", async ({ page }) => {
  await page.goto("/sign-in");
  const alert = page.getByTestId("sign-in").getByRole("alert");
  for (let failure = 0; failure < 6; failure++) {
    await trySignIn(page, "slow@example.org", `guess number ${failure}`);
    await expect(page.getByRole("button", { name: "Sign in", exact: true })).toBeEnabled();
    if (/Wait/.test((await alert.textContent()) ?? "")) break;
  }
  await expect(alert).toContainText(/Too many failed attempts\. Wait .*second/);
});

const refusals: { what: string; person: Pick<Person, "email" | "password">; field: string; says: RegExp }[] = [
  {
    what: "a taken e-mail",
    person: { email: ada.email, password: "a long enough secret" },
    field: "email",
    says: /already/,
  },
  {
    what: "a short password",
    person: { email: "new@example.org", password: "short" },
    field: "password",
    says: /at least 10/,
  },
  {
    what: "a common password",
    person: { email: "new@example.org", password: "password123" },
    field: "password",
    says: /anyone would try/,
  },
];
for (const { what, person, field, says } of refusals) {
  test(`signing up with ${what} is refused beside the field`, async ({ page }) => {
    await page.goto("/sign-up");
    await page.getByLabel("Name").fill("Someone");
    await page.getByLabel("E-mail").fill(person.email);
    await page.getByLabel("Password").fill(person.password);
    await page.getByRole("button", { name: "Create account" }).click();
    await expect(page.getByTestId(`${field}-error`)).toContainText(says);
    await expect(page.locator(`#${field}`)).toBeFocused();
  });
}
