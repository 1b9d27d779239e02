// `bloblang`: mappings in texts, which only hosts with a compiler can run.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { compileMapping } from "../../../compiler/index.ts";
import { bloblang, createNested } from "../../../runtime/mapping/nested.ts";

const test = suite("nested mappings");

function run(mapping: string, content: string): string | undefined {
  const result = compileMapping(mapping).run({ content });
  return result === null ? undefined : new TextDecoder().decode(result.content);
}

test("a string is run as a mapping of the target", () => {
  const mapping = "root.body = this.body.bloblang(this.mapping)";
  const upper = '{"body":{"a":"x"},"mapping":"root.a = this.a.uppercase()"}';
  assert.is(run(mapping, upper), '{"body":{"a":"X"}}');
  assert.is(run(mapping, '{"body":{"a":"x"},"mapping":"this.a"}'), '{"body":"x"}');
});

test("a root that is not assigned yields nothing, a deleted root deletes", () => {
  assert.is(run('root.a = 1\nroot.b = this.bloblang("let x = 1")', "{}"), '{"a":1}');
  assert.is(run('root.a = 1\nroot.a = this.bloblang("root = deleted()")', "{}"), "{}");
});

test("a nested mapping has access to its target only", () => {
  for (const reaching of ["content()", 'env("HOME")', 'file("/etc/hosts")', 'json("a")', "batch_index()"]) {
    const name = reaching.slice(0, reaching.indexOf("("));
    assert.throws(
      () => run("root = this.v.bloblang(this.m)", JSON.stringify({ v: 1, m: `root = ${reaching}` })),
      `failed assignment (line 1): line 1 char ${reaching.length + 8}: unrecognised function '${name}'`,
      reaching,
    );
  }
  assert.throws(() => run("root = this.v.bloblang(this.m)", '{"m":"import \\"x\\""}'), /line 1 char 1/);
});

test("syntax errors and failures of a nested mapping are failures", () => {
  assert.throws(
    () => run("root = this.bloblang(this.m)", '{"m":"root = ("}'),
    /failed assignment \(line 1\): line 1/,
  );
  assert.throws(
    () => run("root = this.bloblang(this.m)", '{"m":"root = throw(\\"no\\")"}'),
    "failed assignment (line 1): failed assignment (line 1): no",
  );
});

test("a nested mapping is compiled once while its text stays the same; without a compiler it fails", () => {
  const seen: string[] = [];
  const kept = createNested((source) => {
    seen.push(source);
    return (target) => target;
  });
  for (const source of ["a", "a", "b"]) assert.is(bloblang(kept, 1, "", source), 1);
  assert.equal(seen, ["a", "b"]);
  assert.throws(() => bloblang(createNested(), 1, "", "this"), /need a compiler, which gateways are without/);
});

test.run();
