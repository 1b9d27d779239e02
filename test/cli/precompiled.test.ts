import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { CheckResult } from "../../compiler/compile.ts";
import * as sources from "../../compiler/index.ts";
import { projectRoot } from "../harness/directories.ts";

// `npm test` builds the bundle before it runs the tests; the bundle contains precompiled schemas.
const bundle: typeof sources = await import(pathToFileURL(join(projectRoot, "dist/index.js")).href);

/** One in five of the hundreds of documents of other suites: all of them use the schemas, the only difference of the bundle. */
const cases = globSync("**/{api,gateway}.yaml", { cwd: join(projectRoot, "test") })
  .sort()
  .filter((_, index) => index % 5 === 0)
  .map((path) => join(projectRoot, "test", path))
  .concat(globSync("examples/*/*.yaml", { cwd: projectRoot }).map((path) => join(projectRoot, path)));

test("the bundle produces the same diagnostics as the sources", async () => {
  assert.ok(cases.length > 50, `${cases.length} documents`);
  for (const path of cases) {
    // Read from memory, so that files missing next to the document make no difference.
    const [folder, name] = [dirname(path), basename(path)];
    const files = globSync("**/*", { cwd: folder }).filter((file) => /\.(ya?ml|json|blobl|ts)$/.test(file));
    const contents = Object.fromEntries(
      files.map((file) => [file, readFileSync(join(folder, file), "utf8")]),
    );
    const outcome = async ({ check, createMemoryFileSystem }: typeof sources) =>
      describe(await check([name], { fileSystem: createMemoryFileSystem(contents) }));
    assert.equal(await outcome(bundle), await outcome(sources), path);
  }
});

function describe({ diagnostics }: Pick<CheckResult, "diagnostics">): readonly string[] {
  return diagnostics.map(
    ({ code, message, hint, span }) => `${code} ${span.start}-${span.end} ${message} ${hint}`,
  );
}

test("the bundle has the units of numeric settings", async () => {
  const contents = {
    "gateway.yaml": "apis: [api.yaml]\npolicies:\n  - { id: gold, rate: 5, per: 60s, access_rights: {} }\n",
    "api.yaml":
      'openapi: 3.1.0\ninfo: { title: Empty, version: "1" }\npaths: {}\nx-gw-streaming: { streams: {} }\n',
  };
  for (const { check, createMemoryFileSystem } of [sources, bundle]) {
    const { diagnostics } = await check(["gateway.yaml"], { fileSystem: createMemoryFileSystem(contents) });
    assert.match(describe({ diagnostics }).join(), "Write a number without a unit: `60`.");
  }
});

test("the bundle validates documents of every OpenAPI version", async () => {
  for (const version of ["3.0.3", "3.1.1", "3.2.0"]) {
    const document = `openapi: ${version}\ninfo: { title: Empty, version: "1" }\npaths: {}\nx-gw-streaming: { streams: {} }\n`;
    const fileSystem = bundle.createMemoryFileSystem({ "api.yaml": document });
    const { diagnostics } = await bundle.check(["api.yaml"], { fileSystem });
    assert.equal(describe({ diagnostics }), []);
  }
});

test.run();
