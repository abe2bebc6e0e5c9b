/** Any application a DAG can say comes back from its text with the same commands, files and graph. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { literal, literalFile } from "@/core/languages/literals";
import { parseWfFormat, printWfFormat } from "@/core/languages/wfformat";
import { edgesOf } from "@/core/languages/workflow-edges";
import type { Application, TaskGroup } from "@/core/workflow/application";
import { buildWorkflow } from "@/core/workflow/build";
import { quoteWord } from "@/core/workflow/shell-words";
import { parseDagman, printDagman } from ".";

const word = fc.string({ unit: fc.constantFrom(..."ab1 '\"\\$(){}#=;,%|é".split("")), maxLength: 8 });
const name = fc.stringMatching(/^[a-z][a-z0-9.]{0,4}$/);

const task = fc.record({
  program: name.map((text) => `/bin/${text}`),
  words: fc.array(word, { maxLength: 4 }),
  variables: fc.dictionary(fc.stringMatching(/^[A-Z]{1,3}$/), word, { maxKeys: 3 }),
  parents: fc.array(fc.nat({ max: 9 }), { maxLength: 3 }),
  inputs: fc.uniqueArray(
    name.map((text) => `in ${text}`),
    { maxLength: 2 },
  ),
  shell: fc.boolean(),
  done: fc.boolean(),
});

const application: fc.Arbitrary<Application> = fc.array(task, { minLength: 1, maxLength: 10 }).map((tasks) => {
  const groups = tasks.map(({ program, words, variables, inputs, shell, done }, i): TaskGroup => {
    const environment = Object.entries(variables).map(([variable, value]) => ({
      name: variable,
      value: literal(value),
    }));
    return {
      loops: [],
      task: {
        name: literal(`t${i}`),
        executable: literal(program),
        shell,
        arguments: literal(words.map(quoteWord).join(" ")),
        inputs: inputs.map((file) => literalFile(file)),
        outputs: [literalFile(`out;${i}`)],
        weight: 1,
        done,
        ...(environment.length > 0 ? { environment } : {}),
      },
    };
  });
  const dependencies = tasks.flatMap(({ parents }, i) =>
    parents.filter((parent) => parent < i).map((parent) => ({ before: `t${parent}`, after: `t${i}` })),
  );
  return { groups, transient: [], dependencies };
});

function seen(given: Application) {
  const { workflow } = buildWorkflow(given);
  const tasks = Array.from({ length: workflow.taskCount }, (_, i) => {
    const { name: called, command, inputs, outputs, done } = workflow.task(i);
    return { called, command, inputs, outputs, done, environment: given.groups[i]!.task.environment };
  });
  return { tasks, edges: edgesOf(given, workflow) };
}

it("a DAG comes back", () => {
  fc.assert(
    fc.property(application, (given) => {
      const { text } = printDagman(given);
      const { application: read, problems } = parseDagman(text);
      expect(problems).toEqual([]);
      expect(seen(read)).toEqual(seen(given));
    }),
    { numRuns: 500 },
  );
}, 60_000);

it("a WfFormat instance comes back, up to the names of files", () => {
  fc.assert(
    fc.property(application, (given) => {
      const { application: read, problems } = parseWfFormat(printWfFormat(given).text);
      expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
      const plain = ({ tasks, edges }: ReturnType<typeof seen>) => ({
        commands: tasks.map(({ command }) => command),
        edges,
      });
      expect(plain(seen(read))).toEqual(plain(seen(given)));
    }),
    { numRuns: 300 },
  );
}, 60_000);
