/** Registering, using and removing clusters, on a real SSH host and a real Slurm. */
import { appendFileSync } from "node:fs";
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page, test } from "@playwright/test";
import { ada, barbara, rosalind } from "./people";
import { type FrontEnd, startTestClusters, type TestClusters } from "./test-clusters";

test.describe.configure({ mode: "serial" });
test.use({ storageState: ada.state });
test.setTimeout(240_000);

let clusters: TestClusters;

test.beforeAll(async () => {
  clusters = await startTestClusters();
});

test.afterAll(async ({ browser }) => {
  // Tests that follow find the portal with its own cluster only.
  const page = await (await browser.newContext({ storageState: ada.state })).newPage();
  for (const id of ["bench", "queue"]) {
    await page.goto(`/clusters/${id}`);
    if (await page.getByTestId("remove-cluster").isVisible()) await remove(page);
  }
  await clusters?.stop();
});

const steps = ["connect", "authenticate", "scheduler", "submit", "read-back"] as const;

async function expectAllGreen(page: Page) {
  await expect(page.getByTestId("test")).toHaveAttribute("data-ok", "true", { timeout: 120_000 });
  for (const step of steps) await expect(page.getByTestId(`step-${step}`)).toHaveAttribute("data-state", "ok");
}

async function fillCluster(page: Page, name: string, driver: string, front: FrontEnd) {
  await page.goto("/clusters/new");
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Agents are started by").selectOption(driver);
  await page.getByLabel(driver === "ssh" ? "Host" : "Front end", { exact: true }).fill(front.host);
  await page.getByLabel("SSH port").fill(String(front.port));
  await page.getByLabel("It is used with").selectOption("service");
}

async function pasteKey(page: Page, login: string, privateKey: string) {
  await page.getByTestId("key-pasted").check();
  await page.getByLabel("Account on the cluster").fill(login);
  await page.getByLabel("Private key", { exact: true }).fill(privateKey);
}

async function quick(page: Page) {
  await page.getByText("Distance, reach, directories").click();
  await page.getByLabel("Ask for its jobs every, seconds").fill("1");
  await page.getByLabel("Slots of an agent").fill("2");
}

async function runOn(page: Page, cluster: string, text: string) {
  await page.goto("/workflows/new");
  await page.getByTestId("workflow-name").fill(`On ${cluster}`);
  await page.getByTestId("workflow-text").locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
  await page.getByTestId("run-options").getByText("Options").click();
  await page.getByLabel("GridPolicy").fill(`Grid == "${cluster}"`);
  await expect(page.getByTestId("run-workflow")).toBeEnabled();
  await page.getByTestId("run-workflow").click();
  await page.waitForURL(/\/runs\//);
  await expect(page.getByTestId("run").getByTestId("run-state")).toHaveAttribute("data-state", "succeeded", {
    timeout: 120_000,
  });
}

async function remove(page: Page) {
  await page.getByTestId("remove-cluster").click();
  await expect(page.getByRole("alertdialog")).toContainText("can be brought back");
  await page.getByTestId("confirm").click();
  await page.waitForURL(/\/clusters$/);
}

async function serious(page: Page) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target).join(" ")}`);
}

const sample =
  'task where -e "hostname > where.txt" -o where.txt\ntask shout -e "tr a-z A-Z < where.txt > loud.txt" -i where.txt -o loud.txt\n';

test("the form says beside each field what is wrong, and what was never tried on a real system", async ({ page }) => {
  await page.goto("/clusters/new");
  await page.getByLabel("Agents are started by").selectOption("lsf");
  await expect(page.getByTestId("untried")).toContainText("not yet tried on a real system");
  await page.getByLabel("Front end", { exact: true }).fill("not a host");
  await page.getByTestId("run-test").click();
  await expect(page.getByTestId("host-error")).toContainText("not the name or the address of a host");
  await expect(page.getByTestId("name-error")).toBeVisible();
  await expect(page.locator("#name")).toBeFocused();
  await expect(page.getByTestId("save-cluster")).toBeDisabled();
});

test("a wrong address and a wrong key each show a red step that says what to do", async ({ page }) => {
  await fillCluster(page, "Bench", "ssh", clusters.ssh);
  await pasteKey(page, clusters.ssh.login, clusters.slurm.privateKey);
  await page.getByLabel("SSH port").fill("1");
  await page.getByTestId("run-test").click();
  await expect(page.getByTestId("step-connect")).toHaveAttribute("data-state", "failed", { timeout: 60_000 });
  await expect(page.getByTestId("step-connect")).toContainText(/port/);
  await expect(page.getByTestId("save-cluster")).toBeDisabled();

  await page.getByLabel("SSH port").fill(String(clusters.ssh.port));
  await page.getByTestId("run-test").click();
  await expect(page.getByTestId("step-authenticate")).toHaveAttribute("data-state", "failed", { timeout: 60_000 });
  await expect(page.getByTestId("step-connect")).toHaveAttribute("data-state", "ok");
  await expect(page.getByTestId("step-submit")).toHaveAttribute("data-state", "left-out");
  await expect(page.getByTestId("step-authenticate")).toContainText(/key|authorized_keys/);
  await expect(page.getByTestId("step-authenticate")).toContainText("ssh");
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await serious(page)).toEqual([]);
  }
});

test("an SSH host is tested, registered, and runs a workflow", async ({ page }) => {
  await fillCluster(page, "Bench", "ssh", clusters.ssh);
  await expect(page.getByLabel("Short name")).toHaveValue("bench");
  await pasteKey(page, clusters.ssh.login, clusters.ssh.privateKey);
  await quick(page);
  await page.getByTestId("run-test").click();
  await expectAllGreen(page);
  await expect(page.getByTestId("host-key")).toContainText(clusters.ssh.hostKeyFingerprint);
  await page
    .getByTestId("step-submit")
    .getByText(/command/)
    .click();
  await expect(page.getByTestId("step-submit")).toContainText("exit 0");
  expect(await serious(page)).toEqual([]);
  await page.getByTestId("save-cluster").click();
  await page.waitForURL(/\/clusters\/bench$/);

  await runOn(page, "bench", sample);
  await page.getByTestId("task-node").first().click();
  await expect(page.getByTestId("attempts")).toContainText(clusters.ssh.hostName);

  await page.goto("/clusters/bench");
  await expect(page.getByTestId("host")).toContainText(clusters.ssh.hostName, { timeout: 60_000 });
  await page
    .getByTestId("host")
    .getByText(/attribute/)
    .click();
  await expect(page.getByTestId("host")).toContainText("Static");
  await page.getByTestId("tab-agents").click();
  await expect(page.getByTestId("agent").first()).toContainText("job");
  await expect(page.getByTestId("agent").first()).toContainText(`for ${ada.name}`);
  await expect(page.getByTestId("fitness")).toContainText("Fitness");
  await page.getByTestId("tab-commands").click();
  await expect(page.getByTestId("command").first()).toBeVisible();
  // The private key is nowhere in what the browser got.
  const secret = clusters.ssh.privateKey.split("\n")[2] ?? "no key";
  expect(await page.content()).not.toContain(secret);
});

test("Slurm is registered by its front end the same way", async ({ page }) => {
  await fillCluster(page, "Queue", "slurm", clusters.slurm);
  await page.getByLabel("Queue or partition").fill("no-such-queue");
  await pasteKey(page, clusters.slurm.login, clusters.slurm.privateKey);
  await quick(page);
  await page.getByTestId("run-test").click();
  await expect(page.getByTestId("step-submit")).toHaveAttribute("data-state", "failed", { timeout: 60_000 });
  await page.getByLabel("Queue or partition").fill("main");
  await page.getByTestId("run-test").click();
  await expectAllGreen(page);
  await page.getByTestId("save-cluster").click();
  await page.waitForURL(/\/clusters\/queue$/);

  await runOn(page, "queue", sample);
  await page.goto("/clusters/queue");
  for (const node of clusters.slurm.nodes) {
    await expect(page.locator(`[data-testid=host][data-host="${node}"]`)).toHaveAttribute("data-up", "true", {
      timeout: 60_000,
    });
  }
  await page.getByTestId("tab-agents").click();
  await expect(page.getByTestId("agent").first()).toContainText("job");
  await page.goto("/clusters");
  const row = page.locator('[data-testid=cluster][data-cluster-id="queue"]');
  await expect(row).toContainText("finished in the last hour", { timeout: 30_000 });
  await expect(row).toContainText("2 hosts up");
});

test("a cluster is drained and used again, removed and brought back", async ({ page }) => {
  await page.goto("/clusters/queue");
  await page.getByTestId("drain-cluster").click();
  await expect(page.getByTestId("cluster-state").first()).toHaveText("Draining");
  await expect(page.getByTestId("cluster-unusable")).toContainText("takes nothing new");
  await page.getByTestId("resume-cluster").click();
  await expect(page.getByTestId("drain-cluster")).toBeVisible();
  await remove(page);
  await expect(page.locator('[data-testid=cluster][data-cluster-id="queue"]')).toHaveCount(0);
  const removed = page.locator('[data-testid=removed-cluster][data-cluster-id="queue"]');
  await removed.getByTestId("restore-cluster").click();
  await expect(page.locator('[data-testid=cluster][data-cluster-id="queue"]')).toBeVisible();
  await expect(removed).toHaveCount(0);
  await page.goto("/clusters/queue");
  await page.getByTestId("tab-settings").click();
  await expect(page.getByLabel("Queue or partition")).toHaveValue("main");
  await page.getByTestId("run-test").click();
  await expectAllGreen(page);
  await expect(page.getByTestId("host-key")).toContainText("The same as before");
});

test("a scientist sees the grid and no admin's form, and uses a cluster with a key of their own", async ({
  page,
  browser,
}) => {
  await page.goto("/clusters/bench");
  await page.getByTestId("tab-settings").click();
  await page.getByLabel("It is used with").selectOption("own");
  await pasteKey(page, clusters.ssh.login, clusters.ssh.privateKey);
  await page.getByTestId("save-cluster").click();
  await expect(page.getByTestId("saved")).toBeVisible();

  const hers = await (await browser.newContext({ storageState: barbara.state })).newPage();
  for (const place of ["/clusters/new", "/admin/people", "/admin/audit"]) {
    expect((await hers.goto(place))?.status(), place).toBe(404);
  }
  await hers.goto("/clusters");
  await expect(hers.getByTestId("new-cluster")).toHaveCount(0);
  await hers.locator('[data-testid=cluster][data-cluster-id="bench"]').getByTestId("open-cluster").click();
  await expect(hers.getByTestId("cluster-unusable")).toContainText("add your key");
  for (const hidden of ["tab-settings", "tab-commands", "remove-cluster", "drain-cluster", "disable-cluster"]) {
    await expect(hers.getByTestId(hidden)).toHaveCount(0);
  }
  await hers.getByTestId("tab-access").click();
  await hers.getByLabel("Account on the cluster").fill(clusters.ssh.login);
  await hers.getByTestId("make-key").click();
  const publicKey = await hers.getByTestId("public-key").textContent();
  expect(publicKey).toMatch(/^ssh-ed25519 AAAA/);
  await hers.getByTestId("save-key").click();
  await expect(hers.getByTestId("step-authenticate")).toHaveAttribute("data-state", "failed", { timeout: 60_000 });
  appendFileSync(clusters.ssh.authorizedKeys, `${publicKey}\n`);
  await hers.getByTestId("test-key").click();
  await expectAllGreen(hers);
  await expect(hers.getByTestId("my-key")).toContainText("Every step went well.");
  await expect(hers.getByTestId("cluster-unusable")).toHaveCount(0);
  expect(await serious(hers)).toEqual([]);
  await runOn(hers, "bench", sample);

  const others = await (await browser.newContext({ storageState: rosalind.state })).newPage();
  await others.goto("/clusters/bench");
  await others.getByTestId("tab-access").click();
  await expect(others.getByTestId("my-key")).toHaveCount(0);
  await others.getByTestId("tab-agents").click();
  await expect(others.getByTestId("agent")).toHaveCount(0);
});

test("the audit log tells what was done, and an admin changes another's role", async ({ page }) => {
  await page.goto("/");
  await page.getByTestId("account-menu").click();
  await page.getByTestId("menu-audit-log").click();
  await page.waitForURL(/\/admin\/audit$/);
  for (const action of ["cluster.added", "cluster.tested", "cluster.drained", "cluster.removed", "key.saved"]) {
    await expect(page.locator(`[data-testid=audit-entry][data-action="${action}"]`).first()).toBeVisible();
  }
  expect(await page.content()).not.toContain("PRIVATE KEY");
  await page.goto("/admin/people");
  const person = page.locator(`[data-testid=person][data-email="${rosalind.email}"]`);
  await person.getByTestId("change-role").click();
  await expect(person.getByTestId("role")).toHaveText("admin");
  await person.getByTestId("change-role").click();
  await expect(person.getByTestId("role")).toHaveText("scientist");
});

test("nothing of a cluster's pages is wider than a narrow screen", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/clusters/queue");
  for (const tab of ["hosts", "agents", "commands", "settings"]) {
    await page.getByTestId(`tab-${tab}`).click();
    await page.waitForTimeout(300);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow, tab).toBeLessThanOrEqual(0);
    expect(await serious(page), tab).toEqual([]);
  }
});
