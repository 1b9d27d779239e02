import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { projectRoot } from "./harness/directories.ts";
import { findCycles, reachableFrom } from "./layers/cycles.ts";
import { findForbiddenImports, partOf, rooms } from "./layers/directions.ts";
import { type ImportKind, readSource, readSources, type Source } from "./layers/sources.ts";

const sources = readSources(projectRoot);
const longestFile = 500;

/** Tables of data, whose length depends on the number of entries. */
const exemptFromLength = /\/generated\/|^compiler\/diagnostics\/catalogue\//;

function none(found: readonly string[], what: string): void {
  assert.ok(found.length === 0, `${what}:\n${found.join("\n")}`);
}

test("modules import only from lower layers", () => {
  none(findForbiddenImports(sources), "forbidden imports (test/layers/directions.ts has the table)");
});

test("imports have no cycles", () => {
  none(findCycles(sources), "cycles");
});

test("no part of the compiler is loaded until a command runs", () => {
  const loaded = reachableFrom(sources, "cli/main.ts");
  assert.ok(loaded.has("compiler/cli/program.ts"), "control: the commands themselves are loaded");
  const allowed = /^(cli|compiler\/cli)\/|^compiler\/(source\/source|embed\/errors)\.ts$/;
  none(
    [...loaded].filter((file) => !allowed.test(file) && !/^(compiler\/diagnostics|schemas)\//.test(file)),
    "modules to load by `import()` in a command",
  );
});

/** The modules that other packages import. */
const publicApis = new Set(["compiler/index.ts", "component/component.ts", "runtime/extension/component.ts"]);

test("only public APIs re-export names of other modules", () => {
  const found = sources.filter((source) => source.isBarrel || source.hasStarExport).map(({ file }) => file);
  none(
    found.filter((file) => !publicApis.has(file)),
    "barrels",
  );
});

test("exports are named", () => {
  const found = sources.filter((source) => source.hasDefaultExport).map(({ file }) => file);
  // The contract of component packages requires one.
  none(
    found.filter((file) => file !== "examples/own-component/sluice.ts"),
    "default exports",
  );
});

test(`files have at most ${longestFile} lines`, () => {
  const long = sources.filter(({ file, lines }) => lines > longestFile && !exemptFromLength.test(file));
  none(
    long.map(({ file, lines }) => `${file}: ${lines} lines`),
    "long files",
  );
});

test("each folder has a README", () => {
  const folders = [".", "compiler", "runtime"].flatMap(subfolders);
  const without = folders.filter((folder) => !existsSync(join(projectRoot, folder, "README.md")));
  none(without, "folders without a README.md");
});

/** Modules that open only files named by operators, or files that no document names. */
const operatorsFiles = [
  /^runtime\/(?:gateway|store|http\/listener)\//,
  /^runtime\/keys\/bcrypt-source\.ts$/, // a package of the runtime
  /^runtime\/process\/inherited-sockets\.ts$/, // sockets by number
  /^runtime\/process\/log\.ts$/, // standard output
  /^runtime\/http\/listener-limits\.ts$/, // the limits of the process, at a path that nothing names
];

test("files named by documents are opened through the check that rejects process files", () => {
  const opening = sources.filter(({ file, imports }) =>
    imports.some(({ to }) => file.startsWith("runtime/") && /^node:(?:fs|sqlite)\b/.test(to)),
  );
  const machineFiles = "runtime/process/machine-files.ts";
  const ways = new Set([machineFiles, "runtime/component/files-input.ts"]);
  const free = opening.filter(
    ({ file, imports }) =>
      file !== machineFiles &&
      !imports.some(({ to }) => ways.has(to)) &&
      !operatorsFiles.some((pattern) => pattern.test(file)),
  );
  assert.ok(opening.length > 10);
  none(
    free.map(({ file }) => file),
    "files that open others without `machineFile`",
  );
});

test("signals of the runtime are aborted with a reason that keeps nothing", () => {
  const found = sources.filter(({ file }) => /^runtime\/(?!concurrency\/abort\.ts$)/.test(file));
  assert.ok(found.length > 500, "control: modules are found");
  none(
    found
      .map(({ file }) => file)
      .filter((file) => /\.abort\(\)/.test(readFileSync(join(projectRoot, file), "utf8"))),
    "modules that create an error for a signal instead of calling `abort` of concurrency/abort.ts",
  );
});

test("docs/rooms.md lists the rooms in their order", () => {
  const page = readFileSync(join(projectRoot, "docs/rooms.md"), "utf8").split("## ")[0] ?? "";
  const listed = [...page.matchAll(/^\| `([^`]+)` /gm)].map(
    ([, room = ""]) => `runtime/${room.replace(/\/$/, "")}`,
  );
  assert.equal(listed, rooms);
});

test("the root of the runtime contains only entry points and contracts", () => {
  const files = readdirSync(join(projectRoot, "runtime")).filter((name) => name.endsWith(".ts"));
  none(
    files.map((name) => `runtime/${name}`).filter((file) => !rooms.includes(file)),
    "files to put into rooms",
  );
  assert.ok(files.length <= 8);
});

/** Returns the project's folders directly below `folder`, without hidden folders and the output of tools. */
function subfolders(folder: string): string[] {
  const written = new Set(["node_modules", "dist", "out"]);
  return readdirSync(join(projectRoot, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && !written.has(entry.name))
    .map(({ name }) => (folder === "." ? name : `${folder}/${name}`));
}

function source(file: string, ...imports: [to: string, kind?: ImportKind][]): Source {
  return {
    file,
    imports: imports.map(([to, kind = "value"]) => ({
      to,
      isFile: to.includes(".ts"),
      kind,
      line: 1,
    })),
    hasDefaultExport: false,
    isBarrel: false,
    hasStarExport: false,
    lines: 1,
  };
}

const isForbidden = (from: string, to: string, kind: ImportKind = "value") =>
  findForbiddenImports([source(from, [to, kind])]).length === 1;

test("control: the table distinguishes allowed and forbidden imports", () => {
  assert.is(partOf("runtime/connectors/kafka/generated/input-options.ts"), "runtime/connectors/kafka");
  assert.is(partOf("compiler/compile.ts"), "compiler");
  assert.not.ok(isForbidden("compiler/parse/a.ts", "compiler/source/source.ts"));
  assert.ok(isForbidden("compiler/source/a.ts", "compiler/parse/b.ts", "type"));
  assert.ok(isForbidden("compiler/source/a.ts", "node:fs"));
  assert.not.ok(isForbidden("compiler/check/a.ts", "compiler/trees/walk.ts"));
  assert.ok(isForbidden("compiler/check/a.ts", "compiler/parse/mapping/parser.ts", "type"));
  assert.not.ok(isForbidden("compiler/check/a.ts", "compiler/model/api.ts"));
  assert.ok(isForbidden("compiler/parse/a.ts", "compiler/model/api.ts", "type"));
  assert.not.ok(isForbidden("compiler/plan/a.ts", "compiler/trees/mapping.ts", "type"));
  assert.ok(isForbidden("compiler/plan/a.ts", "compiler/parse/mapping/parser.ts"));
  assert.ok(isForbidden("compiler/emit/a.ts", "compiler/trees/mapping.ts", "type"));
  assert.ok(isForbidden("compiler/emit/a.ts", "compiler/optimise/b.ts"));
  assert.ok(isForbidden("compiler/emit/a.ts", "schemas/catalogue.ts"));
  assert.not.ok(isForbidden("compiler/embed/a.ts", "runtime/mapping/text.ts", "dynamic"));
  assert.ok(isForbidden("compiler/embed/a.ts", "runtime/mapping/text.ts"));
  assert.ok(isForbidden("compiler/cli/a.ts", "runtime/gateway.ts", "dynamic"));
  assert.ok(isForbidden("runtime/gateway.ts", "compiler/plan/plan.ts", "type"));
  assert.ok(isForbidden("runtime/message/a.ts", "runtime/mapping/text.ts", "type"));
  assert.not.ok(isForbidden("runtime/connectors/kafka/a.ts", "runtime/message/message.ts"));
  assert.ok(isForbidden("runtime/connectors/kafka/a.ts", "runtime/connectors/nats/b.ts"));
  assert.ok(isForbidden("runtime/connectors/nats/a.ts", "kafkajs"));
  assert.not.ok(isForbidden("runtime/connectors/kafka/a.ts", "kafkajs"));
  assert.ok(isForbidden("compiler/cli/a.ts", "test/harness/wait.ts"));
  assert.ok(isForbidden("management/a.ts", "compiler/plan/plan.ts"));
  assert.not.ok(isForbidden("management/users/a.ts", "runtime/rest/router.ts"));
  assert.not.ok(isForbidden("cli/a.ts", "management/main.ts", "dynamic"));
  assert.ok(isForbidden("cli/a.ts", "management/main.ts"));
  for (const outer of [
    "compiler/embed/a.ts",
    "compiler/cli/a.ts",
    "compiler/index.ts",
    "cli/main.ts",
    "management/main.ts",
  ])
    for (const inner of ["compiler/compile.ts", "compiler/evaluate/a.ts", "compiler/check/a.ts"])
      assert.ok(isForbidden(inner, outer, "type"), `${inner} imports ${outer}`);
  assert.ok(isForbidden("compiler/cli/a.ts", "management/main.ts", "type"));
  assert.ok(isForbidden("compiler/cli/a.ts", "cli/main.ts"));
  assert.ok(isForbidden("compiler/compile.ts", "language-server/start.ts", "type"));
  assert.not.ok(isForbidden("cli/a.ts", "language-server/start.ts", "dynamic"));
  assert.ok(isForbidden("compiler/compile.ts", "management/main.ts", "dynamic"));
  assert.ok(isForbidden("runtime/gateway/serve.ts", "management/service.ts", "type"));
  assert.not.ok(isForbidden("pages/portal/a.ts", "runtime/portal/generated/app.ts", "type"));
  assert.ok(isForbidden("pages/portal/a.ts", "runtime/portal/generated/app.ts"));
  assert.ok(isForbidden("pages/portal/a.ts", "pages/admin/b.ts"));
  assert.ok(isForbidden("pages/kit/a.ts", "pages/portal/b.ts", "type"));
  assert.ok(isForbidden("runtime/portal/page/page.ts", "pages/bundle.ts", "dynamic"));
});

test("control: cycles are detected, including those of types", () => {
  const [a, b] = ["compiler/plan/a.ts", "compiler/check/b.ts"];
  for (const kind of ["value", "dynamic", "type"] as const) {
    assert.equal(findCycles([source(a, [b]), source(b, [a, kind])]), [`${a} -> ${b} -> ${a}`]);
  }
});

test("control: every form of import is read", () => {
  const kinds = readSource(projectRoot, "test/layers/forms.sample.ts").imports.map(
    ({ to, kind, isFile }) => `${kind} ${to} ${isFile}`,
  );
  assert.equal(kinds, [
    "type node:fs false",
    "value node:path false",
    "type compiler/source/source.ts true",
    "dynamic node:os false",
    "type node:net false",
  ]);
});

test.run();
