import { test } from "uvu";
import * as assert from "uvu/assert";
import { createSink } from "../../compiler/diagnostics/sink.ts";
import type { Expression, Mapping, MappingNode } from "../../compiler/parse/mapping/ast.ts";
import { readArray, readObject } from "../../compiler/parse/mapping/collections.ts";
import { readQuery } from "../../compiler/parse/mapping/expressions.ts";
import { Failure, type Parsed, referenceText } from "../../compiler/parse/mapping/failure.ts";
import {
  readNumber,
  readQuotedString,
  readRawString,
  readWord,
} from "../../compiler/parse/mapping/literals.ts";
import {
  findMappingError,
  findQueryError,
  findTemplateError,
  parseMapping,
  parseQuery,
  parseTemplate,
} from "../../compiler/parse/mapping/parser.ts";
import { printExpression, printMapping, printTemplate } from "../../compiler/parse/mapping/printer.ts";
import { Reader } from "../../compiler/parse/mapping/reader.ts";
import { createSourceFile } from "../../compiler/source/source.ts";
import { shapeOf } from "../parse/mapping/trees.ts";
import {
  type BehaviourCase,
  type ExampleCase,
  type InterpolationCase,
  readCases,
  readSkips,
} from "./cases.ts";

const literalRules: Readonly<Record<string, (reader: Reader) => Parsed<Expression> | undefined>> = {
  Array: readArray,
  Boolean: readWord,
  Number: readNumber,
  Object: readObject,
  QuotedMultilineString: readRawString,
  QuotedString: readQuotedString,
};

function runBehaviour(each: BehaviourCase): void {
  if (each.mode === "literal_prefix") runLiteral(each);
  else if (each.parse_error !== null) runMistake(each);
  else runParsing(each);
}

function runParsing(each: BehaviourCase): void {
  const { mapping, expression, remaining, trailing_text_ignored: ignored } = each;
  const left = remaining ?? ignored;
  if (left !== undefined) assert.is(unreadText(mapping), left);
  else if (expression) keepsQuery(mapping);
  else keepsMapping(mapping);
  for (const processor of each.processors ?? []) keepsMapping(processor.mapping);
  for (const map of Object.values(each.maps ?? {})) keepsMapping(map);
}

function runMistake({ mapping, expression, ...each }: BehaviourCase): void {
  const source = createSourceFile("case.blobl", mapping);
  const sink = createSink();
  const found = expression ? findQueryError(source) : findMappingError(source);
  if (expression) parseQuery(source, sink.report);
  else parseMapping(source, sink.report);
  const wanted = each.parse_error ?? "";
  if (each.parse_error_exact !== true) assert.ok(found?.includes(wanted), `${found} lacks ${wanted}`);
  else if (each.line === undefined) assert.is(found?.replace(/^line \d+ char \d+: /, ""), wanted);
  else assert.is(found, wanted);
  assert.ok(sink.hasErrors(), "nothing was reported");
}

function runLiteral({
  mapping,
  literal_parser: rule = "",
  parse_error,
  remaining,
  output,
}: BehaviourCase): void {
  const reader = new Reader(createSourceFile("case.blobl", mapping), readQuery);
  const literal = literalRules[rule]?.(reader);
  if (parse_error !== null) {
    assert.instance(literal, Failure);
    if (literal instanceof Failure) assert.is(referenceText(literal), parse_error);
    return;
  }
  assert.ok(literal !== undefined && !(literal instanceof Failure), "does not parse");
  if (literal === undefined || literal instanceof Failure) return;
  assert.is(mapping.slice(reader.at), remaining);
  assert.equal(literalValue(literal), output);
}

/** The value of a literal; data gives numbers as they are and floats of whole value as they are too. */
function literalValue(literal: Expression): unknown {
  switch (literal.kind) {
    case "NullLiteral":
      return null;
    case "IntegerLiteral":
      return Number(literal.value);
    case "Negate":
      return -Number(literalValue(literal.operand));
    case "BooleanLiteral":
    case "FloatLiteral":
    case "StringLiteral":
      return literal.value;
    case "ArrayLiteral":
      return literal.elements.map(literalValue);
    case "ObjectLiteral":
      return Object.fromEntries(
        literal.entries.map(({ key, value }) => [literalValue(key), literalValue(value)]),
      );
    default:
      throw new Error(`${literal.kind} is no literal`);
  }
}

function unreadText(text: string): string | undefined {
  const reader = new Reader(createSourceFile("case.blobl", text), readQuery);
  return reader.query() instanceof Failure ? undefined : text.slice(reader.at);
}

type Parse<T> = (text: string) => T;

const toMapping: Parse<Mapping> = (text) => parseWhole(text, parseMapping);
const toQuery: Parse<Expression> = (text) => parseWhole(text, parseQuery);

function parseWhole<T extends MappingNode>(
  text: string,
  parse: (
    source: ReturnType<typeof createSourceFile>,
    report: ReturnType<typeof createSink>["report"],
  ) => T | undefined,
): T {
  const sink = createSink();
  const tree = parse(createSourceFile("case.blobl", text), sink.report);
  assert.equal(sink.diagnostics(), [], text);
  if (tree === undefined) throw new Error(`no tree: ${text}`);
  return tree;
}

function keepsMapping(text: string): void {
  const tree = toMapping(text);
  assert.equal(shapeOf(toMapping(printMapping(tree))), shapeOf(tree));
}

function keepsQuery(text: string): void {
  const tree = toQuery(text);
  assert.equal(shapeOf(toQuery(printExpression(tree))), shapeOf(tree));
}

function runInterpolation(each: InterpolationCase): void {
  const source = createSourceFile("case.txt", each.template);
  if (each.parse_error !== null) {
    assert.is(findTemplateError(source), each.parse_error);
    return;
  }
  const tree = parseWhole(each.template, parseTemplate);
  const queries = tree.parts.filter(({ kind }) => kind === "QueryPart").length;
  if (each.static === true) assert.is(queries, 0);
  if (each.dynamic_expressions !== undefined) assert.is(queries, each.dynamic_expressions);
  assert.equal(shapeOf(parseWhole(printTemplate(tree), parseTemplate)), shapeOf(tree));
}

const skips = readSkips("parse");
const skipped = new Set<string>();

/** Runs the entries of a file; those on the list must fail, or they need not be on it. */
function runAll<T extends { readonly id: string }>(file: string, run: (each: T) => void): void {
  test(file, () => {
    for (const each of readCases<T>(file)) {
      const failure = failureOf(() => run(each));
      if (skips.has(each.id)) {
        skipped.add(each.id);
        assert.ok(failure, `${each.id} passes: take it off skips.json`);
      } else {
        assert.ok(failure === undefined, `${each.id}: ${failure}`);
      }
    }
  });
}

function failureOf(run: () => void): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    // Collected, so that the list of skips can be held against it; every other failure fails the test.
    return error;
  }
}

runAll<BehaviourCase>("behaviour.json", runBehaviour);
runAll<ExampleCase>("examples.json", ({ mapping }) => keepsMapping(mapping));
runAll<InterpolationCase>("interpolation.json", runInterpolation);

test("the list of skips names cases that exist", () => {
  assert.equal(
    [...skips.keys()].filter((id) => !skipped.has(id)),
    [],
  );
  console.log(`${skipped.size} cases skipped, see test/conformance/skips.json`);
});

test.run();
