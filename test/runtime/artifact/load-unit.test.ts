import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { loadUnit, type RuntimeModules, runtimeFor } from "../../../runtime/gateway/artifact/load-unit.ts";
import { projectRoot } from "../../harness/directories.ts";
import { run } from "../../harness/processes.ts";

const runtime: RuntimeModules = {
  digest: "sha256-0",
  load: async (module) => import(join(projectRoot, module)),
};
const load = (code: string, imports: readonly string[] = []) =>
  loadUnit({ code, imports, filename: "orders 1a2b3c.js" }, runtime);

test("a module is loaded with the runtime modules it requires and returns its default export", async () => {
  const code = `module.exports = { default: require("sluice/runtime/gateway.ts").defineApi({ id: "a" }) };`;
  assert.equal(await load(code, ["runtime/gateway.ts"]), { id: "a" });
});

test("a module cannot require what it does not list", async () => {
  for (const name of ["sluice/runtime/process/log.ts", "node:fs", "fs", "../x.js", "__proto__"]) {
    const code = `module.exports = { default: require(${JSON.stringify(name)}) };`;
    await assertRejects(load(code, ["runtime/gateway.ts"]), /requires .* which it does not list/);
  }
});

test("a module cannot use dynamic import", async () => {
  const made = await load('module.exports = { default: () => import("node:fs") };');
  await assertRejects((made as () => Promise<unknown>)(), /importModuleDynamically|callback/i);
});

test("stack traces name the API and its version", async () => {
  const made = await load('module.exports = { default: function enrich() {\n throw new Error("no"); } };');
  try {
    (made as () => void)();
    assert.unreachable();
  } catch (error) {
    assert.match(String((error as Error).stack), /at enrich \(orders 1a2b3c\.js:2:\d+\)/);
  }
});

test("a module without a default export is rejected", async () => {
  await assertRejects(load("module.exports = 1;"), /exports nothing by default/);
  await assertRejects(load("module.exports = {};"), /exports nothing by default/);
});

test("replaced modules and their source text are garbage-collected", async () => {
  const program = join(import.meta.dirname, "collected.sample.ts");
  const { status, stdout, stderr } = await run(process.execPath, [
    ...["--expose-gc", "--max-old-space-size=25"],
    program,
  ]);
  assert.is(status, 0, stderr.slice(-500));
  const { made, alive } = JSON.parse(stdout);
  assert.is(made, 250);
  // The latest module is still referenced.
  assert.ok(alive <= 2, `${alive} were left`);
});

async function assertRejects(promise: Promise<unknown>, message: RegExp): Promise<void> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.instance(error, Error);
  assert.match((error as Error).message, message);
}

test("`count` continues across deployments of one organisation, and is separate for each organisation", async () => {
  const counting: RuntimeModules = {
    digest: "sha256-1",
    load: () => import("../../../runtime/mapping/environment.ts"),
  };
  const module = "runtime/mapping/environment.ts";
  const code = `exports.default = require("sluice/${module}").count`;
  const next = async (organisation: string | undefined, name: string) => {
    const source = { code, imports: [module], filename: "count.js" };
    return ((await loadUnit(source, runtimeFor(organisation, counting))) as (name: string) => number)(name);
  };
  const counted = [];
  for (const [organisation, name] of [
    ["red", "a"],
    ["red", "a"],
    ["blue", "a"],
    ["red", "b"],
    [undefined, "a"],
    ["red", "a"],
    ["blue", "a"],
  ] as const)
    counted.push(await next(organisation, name));
  assert.equal(counted, [1, 2, 1, 1, 1, 3, 2]);
});

test.run();
