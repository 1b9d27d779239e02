import { test } from "uvu";
import * as assert from "uvu/assert";
import { createSink } from "../../compiler/diagnostics/sink.ts";
import { parseMapping } from "../../compiler/parse/mapping/parser.ts";
import { createSourceFile } from "../../compiler/source/source.ts";
import type { Mapping } from "../../compiler/trees/mapping.ts";
import { childrenOf, walk } from "../../compiler/trees/walk.ts";

function parse(text: string): Mapping {
  const mapping = parseMapping(createSourceFile("test.blobl", text), createSink().report);
  if (mapping === undefined) throw new Error(`does not parse: ${text}`);
  return mapping;
}

test("visits nodes of a kind in source order", () => {
  const calls: string[] = [];
  const text = `root.a = this.b.map_each(x -> x.trim()).join("")\nif now() > 1 { meta c = uuid_v4() }\n`;
  walk(parse(text), {
    MethodCall: ({ name }) => calls.push(name.text),
    FunctionCall: ({ name }) => calls.push(name.text),
  });
  assert.equal(calls, ["join", "map_each", "trim", "now", "uuid_v4"]);
});

test("skips the children of a node whose visitor returns false", () => {
  const names: string[] = [];
  walk(parse("root.a = this.(b.c)\nroot.d = this.e\n"), {
    MapExpression: () => false,
    FieldAccess: ({ name }) => names.push(name.text),
  });
  assert.equal(names, ["e"]);
});

test("lists the children of every field, single or many", () => {
  const [statement] = parse('root.a."b" = this.c[1:2].d(5)').statements;
  if (statement === undefined) throw new Error("no statement");
  assert.equal(
    childrenOf(statement).map(({ kind }) => kind),
    ["Name", "Name", "MethodCall"],
  );
});

test.run();
