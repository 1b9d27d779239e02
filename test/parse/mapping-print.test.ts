import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createSink } from "../../compiler/diagnostics/sink.ts";
import { parseMapping, parseQuery, parseTemplate } from "../../compiler/parse/mapping/parser.ts";
import { createSourceFile, type SourceText, wholeSpan } from "../../compiler/source/source.ts";
import type { Mapping, MappingNode, Template } from "../../compiler/trees/mapping.ts";
import { printExpression, printMapping, printTemplate } from "../harness/mapping-printer.ts";
import { arbitraryQuery, arbitraryStatements } from "./mapping/arbitrary-trees.ts";
import { shapeOf } from "./mapping/trees.ts";

const settings = { seed: 20261121, numRuns: 400 };
const source = createSourceFile("generated.blobl", "");
const base = { source, span: wholeSpan(source) } as const;

function same(
  tree: MappingNode,
  printed: string,
  parse: (source: SourceText, report: ReturnType<typeof createSink>["report"]) => MappingNode | undefined,
): void {
  const sink = createSink();
  const parsed = parse(createSourceFile("printed.blobl", printed), sink.report);
  assert.equal(sink.diagnostics(), [], printed);
  assert.equal(shapeOf(parsed), shapeOf(tree), printed);
}

test("a printed query parses to the same tree", () => {
  fc.assert(
    fc.property(arbitraryQuery(), (query) => same(query, printExpression(query), parseQuery)),
    settings,
  );
});

test("a printed statement list parses to the same tree", () => {
  fc.assert(
    fc.property(arbitraryStatements(), (statements) => {
      const mapping: Mapping = { ...base, kind: "Mapping", form: "statements", statements };
      same(mapping, printMapping(mapping), parseMapping);
    }),
    settings,
  );
});

test("a printed shorthand query parses to the same tree", () => {
  fc.assert(
    fc.property(arbitraryQuery(), (value) => {
      const root = { kind: "Assign", target: [], rooted: true, value, span: base.span } as const;
      const mapping: Mapping = { ...base, kind: "Mapping", form: "shorthand", statements: [root] };
      same(mapping, printMapping(mapping), parseMapping);
    }),
    settings,
  );
});

test("a printed template parses to the same tree", () => {
  const pieces = fc.array(fc.oneof(fc.constantFrom("$", "{", "}", "!", "a", "${{!", "}}"), arbitraryQuery()));
  fc.assert(
    fc.property(pieces, (list) => {
      const text = list.map((piece) =>
        typeof piece === "string" ? piece : `\${! ${printExpression(piece)}\n}`,
      );
      const written = createSourceFile("template.txt", text.join(""));
      const template: Template | undefined = parseTemplate(written, createSink().report);
      if (template !== undefined) same(template, printTemplate(template), parseTemplate);
    }),
    settings,
  );
});

test.run();
