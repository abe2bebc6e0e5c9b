import { expect, type Page, test } from "@playwright/test";
import { barbara } from "./people";

test.use({ storageState: barbara.state });

/** Replaces the text as a person would: select all, then paste. */
async function write(page: Page, text: string) {
  await page.getByTestId("workflow-text").locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

test("text becomes a graph; an error is told with its line and column and leads there", async ({ page }) => {
  await page.goto("/workflows/new");
  await write(page, "task A -e true -o a.out\ntask B -e cat -a a.out -i a.out -o b.out\n");
  await expect(page.getByTestId("task-node")).toHaveCount(2);
  await expect(page.getByTestId("workflow-edges")).toHaveText("1 edge");

  await write(page, "task A -e true -o a.out\ntsk B -e cat -i a.out\n");
  const problem = page.getByTestId("problem").first();
  await expect(problem).toContainText("2:1");
  await expect(problem).toContainText("task");
  await expect(page.getByTestId("run-workflow")).toBeDisabled();
  await problem.click();
  await expect(page.locator(".cm-activeLine")).toContainText("tsk B");
});

for (const [what, text, says] of [
  ["an unclosed brace", "foreach N in 1..3 {\n  task -e true\n", /clos|\}/],
  ["a cycle", "task A -e true -i b -o a\ntask B -e true -i a -o b\n", /A.*B|B.*A/],
  ["two producers of one file", "task A -e true -o x\ntask B -e true -o x\n", /x/],
  ["a destination outside the task's directory", "task A -e true -o ../x\n", /\.\.\/x/],
] as const) {
  test(`bad input is explained: ${what}`, async ({ page }) => {
    await page.goto("/workflows/new");
    await write(page, text);
    await expect(page.getByTestId("problem").first()).toContainText(says);
    await expect(page.getByTestId("run-workflow")).toBeDisabled();
  });
}

test("a missing input is named until it is dropped; names with blanks, quotes and unicode run through", async ({
  page,
}) => {
  await page.goto("/workflows/new");
  await page.getByTestId("workflow-name").fill("Names");
  await write(
    page,
    `task "make it" -e cp -a "\\"it's größe.txt\\" 'out put ✓.txt'" -i "it's größe.txt" -o "out put ✓.txt"\n`,
  );
  await expect(page.getByTestId("cannot-run")).toContainText("it's größe.txt");
  await page
    .getByTestId("file-input")
    .setInputFiles({ name: "it's größe.txt", mimeType: "text/plain", buffer: Buffer.from("grüße\n") });
  await expect(page.getByTestId("run-workflow")).toBeEnabled();
  await page.getByTestId("run-workflow").click();
  await page.waitForURL(/\/runs\//);
  await expect(page.getByTestId("run").getByTestId("run-state")).toHaveAttribute("data-state", "succeeded", {
    timeout: 15_000,
  });
  await page.getByTestId("tab-files").click();
  await expect(page.locator('[data-file-name="out put ✓.txt"] a')).toBeVisible();
});

test("a workflow and its inputs are dropped together, saved, and still there after a reload", async ({ page }) => {
  await page.goto("/workflows/new");
  await page.getByTestId("file-input").setInputFiles([
    {
      name: "sorting.gadl",
      mimeType: "text/plain",
      buffer: Buffer.from('task S -e sort -a "-o sorted.txt words.txt" -i words.txt -o sorted.txt\n'),
    },
    { name: "words.txt", mimeType: "text/plain", buffer: Buffer.from("b\na\n") },
  ]);
  await expect(page.getByTestId("task-node")).toHaveCount(1);
  await page.getByTestId("save-workflow").click();
  await page.waitForURL(/\/workflows\/(?!new)/);
  await page.reload();
  await expect(page.getByTestId("workflow-text")).toContainText("sorted.txt");
  await expect(page.getByTestId("input-file").first()).toContainText("words.txt");
});
