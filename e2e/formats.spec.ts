/** Workflows of every format, brought as files: recognised by content, shown, mended, run, and handed out again. */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page, test } from "@playwright/test";
import { barbara } from "./people";

test.use({ storageState: barbara.state });

interface Dropped {
  name: string;
  text: string;
}

const examples = (folder: string, ...names: string[]): Promise<Dropped[]> =>
  Promise.all(
    names.map(async (name) => ({ name: basename(name), text: await readFile(`examples/${folder}/${name}`, "utf8") })),
  );

const diamond = () =>
  examples("dagman", "split.sub", "poem.txt", "diamond.dag", "look.sub", "count.awk", "longest.awk");

/** Drops files onto the page, as from a file manager. */
async function drop(page: Page, files: Dropped[]) {
  const transfer = await page.evaluateHandle((dropped) => {
    const data = new DataTransfer();
    for (const { name, text } of dropped) data.items.add(new File([text], name));
    return data;
  }, files);
  const target = page.getByRole("region", { name: "Workflow", exact: true });
  await target.dispatchEvent("dragover", { dataTransfer: transfer });
  await target.dispatchEvent("drop", { dataTransfer: transfer });
}

async function open(page: Page, files: Dropped[]) {
  await page.goto("/workflows/new");
  // The page is alive when CodeMirror is there.
  await expect(page.getByTestId("workflow-text").locator(".cm-content")).toBeVisible();
  await drop(page, files);
}

const tab = (page: Page, name: string) => page.locator(`[data-testid=description-file][data-file-name="${name}"]`);
const format = (page: Page) => page.getByTestId("workflow-format");
const problems = (page: Page, severity: "error" | "warning") =>
  page.locator(`[data-testid=problem][data-severity=${severity}]`);

test("a DAG and its submit files become a graph that is saved, opened again and runs to the end", async ({ page }) => {
  await open(page, await diamond());
  await expect(format(page)).toHaveText("DAGMan");
  await expect(page.getByTestId("task-node")).toHaveCount(4);
  await expect(page.getByTestId("workflow-name")).toHaveValue("diamond");
  await expect(page.getByTestId("description-file")).toHaveText(["diamond.dag", "split.sub", "look.sub"]);
  await page.getByTestId("save-workflow").click();
  await page.waitForURL(/\/workflows\/(?!new)/);
  await page.reload();
  await expect(page.getByTestId("task-node")).toHaveCount(4);
  await expect(tab(page, "look.sub")).toBeVisible();
  await page.getByTestId("run-workflow").click();
  await page.waitForURL(/\/runs\//);
  await expect(page.locator('[data-testid=task-node][data-state="finished"]')).toHaveCount(4, { timeout: 20_000 });
  await expect(page.getByTestId("run").getByTestId("run-state")).toHaveAttribute("data-state", "succeeded");
});

test("a mistake in a submit file is told with its file and line, and mended there", async ({ page }) => {
  const files = await diamond();
  const broken = files.map((file) =>
    file.name === "look.sub" ? { ...file, text: file.text.replace("output ", "what is this\noutput ") } : file,
  );
  await open(page, broken);
  const error = problems(page, "error").first();
  await expect(error).toContainText("look.sub:4:1");
  await expect(page.getByTestId("run-workflow")).toBeDisabled();
  await error.click();
  await expect(tab(page, "look.sub")).toHaveAttribute("aria-pressed", "true");
  await expect(page.locator(".cm-activeLine")).toContainText("what is this");
  await page.keyboard.press("Shift+End");
  await page.keyboard.press("Backspace");
  await expect(problems(page, "error")).toHaveCount(0);
  await expect(page.getByTestId("task-node")).toHaveCount(4);
  await page.getByTestId("save-workflow").click();
  await page.waitForURL(/\/workflows\/(?!new)/);
  await tab(page, "look.sub").click();
  await expect(page.getByTestId("workflow-text")).toContainText("arguments");
  await expect(page.getByTestId("workflow-text")).not.toContainText("what is this");
});

test("a submit file that is missing is named, and found when it is dropped later", async ({ page }) => {
  const files = await diamond();
  await open(
    page,
    files.filter(({ name }) => name !== "split.sub"),
  );
  await expect(problems(page, "error").first()).toContainText("split.sub");
  await expect(page.locator('[data-file-name="split.sub"][data-file-state="missing"]')).toBeVisible();
  await drop(
    page,
    files.filter(({ name }) => name === "split.sub"),
  );
  await expect(problems(page, "error")).toHaveCount(0);
  await expect(page.getByTestId("task-node")).toHaveCount(4);
});

test("DAGMan is recognised in x.txt; what cannot be kept is a warning", async ({ page }) => {
  const text = "CONFIG my.conf\nJOB A {\n  executable = /bin/true\n  log = x.log\n}\n";
  await open(page, [{ name: "x.txt", text }]);
  await expect(format(page)).toHaveText("DAGMan");
  await expect(page.getByTestId("task-node")).toHaveCount(1);
  await expect(problems(page, "warning").filter({ hasText: "x.txt:4" })).toContainText("log");
});

test("a WfFormat file becomes a graph", async ({ page }) => {
  await open(page, await examples("wfformat", "words.json", "poem.txt"));
  await expect(format(page)).toHaveText("WfFormat");
  await expect(page.getByTestId("task-node")).toHaveCount(4);
  await expect(page.locator('[data-file-name="poem.txt"][data-file-state="provided"]')).toBeVisible();
});

test("a GridWay job template is shown, with the file its requirement is in", async ({ page }) => {
  await open(page, await examples("gridway", "figure5.jt", "host_req.ldif"));
  await expect(format(page)).toHaveText("GridWay job template");
  await expect(page.getByTestId("task-node")).toHaveCount(1);
  await expect(tab(page, "host_req.ldif")).toBeVisible();
  await expect(problems(page, "warning").first()).toBeVisible();
});

test("two workflows at once: the page asks which one it is", async ({ page }) => {
  await open(page, [...(await diamond()), ...(await examples("dagman", "twice.dag", "inner.dag"))]);
  const question = page.getByTestId("workflow-question");
  await expect(question).toBeVisible();
  await question.getByRole("button", { name: /twice\.dag/ }).click();
  await expect(question).toBeHidden();
  await expect(page.getByTestId("description-file")).toHaveText(["twice.dag", "inner.dag"]);
  await expect(page.getByTestId("workflow-tasks")).toHaveText("10 tasks");
});

test("files without a workflow are kept as inputs, and the page says what it reads", async ({ page }) => {
  await open(page, [{ name: "data.txt", text: "1 2 3\n" }]);
  await expect(page.getByTestId("drop-report")).toContainText("GRID-ADL");
  await expect(page.getByTestId("drop-report")).toContainText("DAGMan");
  await expect(page.locator('[data-file-name="data.txt"][data-file-state="provided"]')).toBeVisible();
});

test("a workflow is handed out in another format, after what it cannot hold was told", async ({ page }) => {
  await open(page, [{ name: "w.gadl", text: "transient a.out\ntask A -e true -o a.out\ntask B -e cat -i a.out\n" }]);
  await expect(page.getByTestId("task-node")).toHaveCount(2);
  await page.getByTestId("download-as").press("Enter");
  await page.getByTestId("download-dagman").press("Enter");
  await expect(page.getByTestId("download-losses")).toContainText("transient");
  const started = page.waitForEvent("download");
  await page.getByTestId("download-anyway").click();
  const download = await started;
  expect(download.suggestedFilename()).toBe("w.dag");
  expect(await readFile(await download.path(), "utf8")).toContain("PARENT A CHILD B");
});

test("a DAG is handed out as it is, in a zip with its submit files", async ({ page }) => {
  await open(page, await diamond());
  await expect(page.getByTestId("task-node")).toHaveCount(4);
  await page.getByTestId("download-as").click();
  const started = page.waitForEvent("download");
  await page.getByTestId("download-original").click();
  const download = await started;
  expect(download.suggestedFilename()).toBe("diamond.zip");
  const bytes = await readFile(await download.path());
  for (const name of ["diamond.dag", "split.sub", "look.sub"]) expect(bytes.includes(name)).toBe(true);
});

test("many submit files are chosen from a list; equal ones all get through", async ({ page }) => {
  const files = Array.from({ length: 12 }, (_, i) => ({ name: `j${i}.sub`, text: "executable = /bin/true\nqueue\n" }));
  const dag = files.map(({ name }, i) => `JOB J${i} ${name}`).join("\n");
  await open(page, [{ name: "many.dag", text: dag }, ...files]);
  await expect(page.locator('[data-testid=input-file][data-file-state="provided"]')).toHaveCount(12);
  await page.getByLabel("File", { exact: true }).selectOption("j7.sub");
  await expect(page.getByTestId("workflow-text")).toContainText("queue");
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`a DAG, its warnings and its downloads have no serious accessibility finding, ${colorScheme}`, async ({
    page,
  }) => {
    const serious = async () =>
      (await new AxeBuilder({ page }).analyze()).violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target).join(" ")}`);
    await page.emulateMedia({ colorScheme });
    await open(page, await diamond());
    await expect(page.getByTestId("task-node")).toHaveCount(4);
    expect(await serious()).toEqual([]);
    await page.getByTestId("download-as").click();
    expect(await serious()).toEqual([]);
    await page.getByTestId("download-gridadl").click();
    await expect(page.getByTestId("download-losses")).toBeVisible();
    expect(await serious()).toEqual([]);
  });
}
