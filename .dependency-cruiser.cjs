// The house's one rule about who may know whom (docs/architecture.md): dependencies point towards core.
const tests = "(\\.test\\.tsx?|-for-tests\\.ts)$";

/** Everything in `from` may import of ours only what `to` names. */
const only = (name, comment, from, to, extra = {}) => ({
  name,
  comment,
  severity: "error",
  from: { path: from, pathNot: tests },
  to: { path: "^(app|components|core|server|agent|cli|bench|e2e)/", pathNot: to, ...extra },
});

module.exports = {
  forbidden: [
    only("core-imports-only-core", "core is pure: it imports nothing else of ours", "^core/", "^core/"),
    {
      name: "core-does-no-io",
      comment: "core runs in the browser, the server, the agent and the simulator",
      severity: "error",
      from: { path: "^core/", pathNot: tests },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "core-knows-few-packages",
      comment: "core may use zod to validate what comes over a wire, nothing else",
      severity: "error",
      from: { path: "^core/", pathNot: tests },
      to: { path: "^node_modules/", pathNot: "^node_modules/zod/" },
    },
    only("agent-imports-core", "the agent travels alone, as one file", "^agent/", "^(agent|core)/"),
    only("cli-imports-core", "the command line client speaks core", "^cli/(?!run\\.ts|embedded)", "^(cli|core)/"),
    only(
      "cli-run-embeds-the-engine",
      "only the headless run starts the server's parts",
      "^cli/(run\\.ts|embedded)",
      "^(cli|core|server)/",
    ),
    only(
      "components-never-import-server",
      "browser code may know the server's types only",
      "^components/",
      "^(components|core)/",
      {
        dependencyTypesNot: ["type-only"],
      },
    ),
    only(
      "server-imports-core",
      "the server does not know its pages, its agents or its clients",
      "^server/",
      "^(server|core)/",
    ),
    only(
      "pages-are-thin",
      "pages compose components; the server is reached through its API",
      "^app/(?!api/)",
      "^(app|components|core|server/(api|auth))/",
    ),
    only("routes-are-thin", "route handlers hand over to the server", "^app/api/", "^(app/api|core|server)/"),
    only("browser-tests-stay-outside", "browser tests see only what a person sees", "^e2e/", "^e2e/"),
    {
      name: "no-circles",
      comment: "two files that need each other to run are one file (types may refer both ways)",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(generated|dist|\\.next)/" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: "specify",
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
    },
  },
};
