import { test } from "uvu";
import * as assert from "uvu/assert";
import { check, createMemoryFileSystem } from "../../compiler/index.ts";

/** Resolves with the findings for a workflow, as codes with the text at their source range. */
async function findingsOf(workflow: object): Promise<readonly string[]> {
  const stream = {
    input: { http_server: { path: "/in" } },
    pipeline: { processors: [{ workflow }] },
    output: { http_server: { path: "/out" } },
  };
  const files = { "stream.json": JSON.stringify(stream) };
  const { diagnostics } = await check(["stream.json"], { fileSystem: createMemoryFileSystem(files) });
  return diagnostics
    .filter(({ code }) => /^GW415/.test(code))
    .map(
      ({ code, span }) => `${code} ${files["stream.json"].slice(span.start, span.end).replaceAll(`"`, "")}`,
    );
}

const processors = [{ noop: {} }];
const plain = { a: { processors }, b: { processors } };

test("an order names each branch exactly once", async () => {
  assert.equal(await findingsOf({ order: [["a"], ["b"]], branches: plain }), []);
  assert.equal(await findingsOf({ order: [["a"]], branches: plain }), ["GW4152 order"]);
  assert.equal(await findingsOf({ order: [["a", "a"], ["b"]], branches: plain }), ["GW4153 a"]);
  assert.equal(await findingsOf({ order: [["a"], ["b", "c"]], branches: plain }), ["GW4151 c"]);
});

test("a misspelt branch name is reported once", async () => {
  const branches = { price: { processors }, stock: { processors } };
  assert.equal(await findingsOf({ order: [["price"], ["stok"]], branches }), ["GW4151 stok"]);
});

test("a dependency cycle is an error only where the order is derived from dependencies", async () => {
  const reads = (other: string, own: string) => ({
    request_map: `root = ${other}`,
    processors,
    result_map: `root.${own} = this`,
  });
  const circle = { a: reads("this.b.x", "a"), b: reads('json("a.y")', "b"), c: { processors } };
  assert.equal(await findingsOf({ branches: circle }), ["GW4154 workflow"]);
  assert.equal(await findingsOf({ order: [["c"], ["a"], ["b"]], branches: circle }), []);
  assert.equal(await findingsOf({ branches: { a: reads("this.b.x", "a"), b: reads("this.c", "b") } }), []);
  // What it reads lies above what the other one writes.
  assert.equal(await findingsOf({ branches: { a: reads("this.b", "a"), b: reads("this.a", "b.deep") } }), []);
});

test.run();
