// Infers calls of builtins: checks targets and arguments, checks the verbs of `format` against their values, and
// returns the result type from the catalogue. Builtins that belong to the language itself are in language-calls.ts.

import {
  acceptedArgument,
  acceptedElement,
  acceptedTarget,
  anyText,
  canCallFail,
  convertedTarget,
  resultOfCall,
} from "../../builtins/accepted.ts";
import type { Builtin, CallTypes } from "../../builtins/builtin.ts";
import { isOnly } from "../../builtins/results/members.ts";
import type { Span } from "../../source/source.ts";
import type { CallNode, Expression, MethodCall } from "../../trees/mapping.ts";
import { type Alternative, alternativesOf } from "../../value-types/alternatives.ts";
import { arrayOf, never, nullType, string, type Type, unknown } from "../../value-types/type.ts";
import { sameType, unionOf } from "../../value-types/union.ts";
import type { CheckedCall } from "../mapping/checked.ts";
import { meantLayout, verbs } from "../mapping/layouts.ts";
import { reportContains } from "./comparisons.ts";
import { ofType, reportMistake, requireKinds, shownTypes, type TypeDemand, wasReported } from "./demands.ts";
import { findState, type TypeEnvironment } from "./environment.ts";
import { canFail } from "./failures.ts";
import { inferGuarded } from "./fallbacks.ts";
import { formatOf } from "./null-origin.ts";
import { createPlace, type Place } from "./place.ts";
import { entered, fail, type Scope } from "./scope.ts";
import { typeOfConstant } from "./values.ts";

/** The maximum number of element types for which an argument is inferred; with more, its type is unknown. */
const mostElements = 64;

/** The queries among the arguments of one call. */
interface Queries {
  readonly resultOf: CallTypes["queryResult"];
  /** Infers the queries that were not requested. */
  readonly inferRest: () => void;
  /** Reports tests that never return a bool. */
  readonly requireTests: () => void;
  /** Returns the elements that pass the test of a filter. */
  readonly narrowElements: (result: Type) => Type;
}

/** Creates the queries of a call on `target`. */
function createQueries({ builtin, args }: CheckedCall, target: Type, scope: Scope): Queries {
  // A query runs once for each field of an object, and the tally of `fold` changes from element to element.
  const isRepeated = scope.isRepeated || target.kind !== "Array" || builtin.name === "fold";
  const known = new Map<number, { readonly element: Type; readonly result: Type; readonly passed: Type }[]>();
  const resultOf = (index: number, element: Type): Type => {
    const earlier = known.get(index) ?? [];
    const found = earlier.find((each) => sameType(each.element, element));
    if (found !== undefined) return found.result;
    const arg = args[index];
    if (arg === undefined) return unknown;
    const { result, passed } = inferQueryArgument(arg, builtin.parameters[index]?.query, element, {
      ...scope,
      isRepeated,
    });
    known.set(index, [...earlier, { element, result, passed }]);
    return result;
  };
  return {
    resultOf,
    inferRest() {
      for (const [index, parameter] of builtin.parameters.entries()) {
        if (parameter.query !== undefined && args[index] !== undefined && !known.has(index))
          resultOf(index, unknown);
      }
    },
    requireTests() {
      for (const [index, { name }] of builtin.parameters.entries()) {
        const results = unionOf((known.get(index) ?? []).map((each) => each.result));
        const arg = name === "test" ? args[index] : undefined;
        if (arg !== undefined) requireTest(arg, results, scope);
      }
    },
    narrowElements(result) {
      const tested = known.get(0) ?? [];
      const isArray = alternativesOf(result).every(({ kind }) => kind === "Array");
      return isArray && tested.length > 0 ? unionOf(tested.map(({ passed }) => arrayOf(passed))) : result;
    },
  };
}

function inferQueryArgument(
  arg: Expression,
  context: "element" | "same" | "error" | undefined,
  element: Type,
  scope: Scope,
): { readonly result: Type; readonly passed: Type } {
  const { queries } = scope.inference.memory;
  const times = queries.get(arg) ?? 0;
  queries.set(arg, times + 1);
  if (times >= mostElements) {
    fail(scope, arg.span, "type", "too many types are possible here");
    return { result: unknown, passed: element };
  }
  if (context === "same") return { result: scope.inference.infer(arg, scope), passed: element };
  const place = createPlace("this");
  const inner = entered(scope, place, context === "error" ? string : element);
  const test = scope.inference.test(arg, inner);
  return {
    result: test.type,
    get passed() {
      return typeIn(test.whenTrue(), place, element);
    },
  };
}

function typeIn(environment: TypeEnvironment, place: Place, otherwise: Type): Type {
  return findState(environment, place)?.type ?? otherwise;
}

/** Reports a test that never returns a bool: nothing would pass it. */
function requireTest(arg: Expression, results: Type, scope: Scope): void {
  const alternatives = alternativesOf(results);
  const isPossible = alternatives.some(({ kind }) => kind === "Bool" || kind === "Unknown");
  if (isPossible || alternatives.length === 0 || scope.isGuarded) return;
  scope.inference.report("GW3111", (arg.kind === "Lambda" ? arg.body : arg).span, {
    found: shownTypes([results]),
  });
}

const whole = ["Integer"];

const fraction = ["Float"];

const text = ["String", "Bytes", "Timestamp"];

/** The kinds of values that each verb accepts. Arrays and objects are formatted element by element. */
const kindsByVerb: Readonly<Record<string, readonly string[]>> = {
  d: whole,
  o: whole,
  c: whole,
  U: whole,
  e: fraction,
  E: fraction,
  f: fraction,
  F: fraction,
  g: fraction,
  G: fraction,
  s: text,
  t: ["Bool"],
};

/** Reports the first value whose type its verb never accepts; later mismatches may only follow from it. */
function reportFormat(
  { name, receiver, args }: MethodCall,
  types: readonly (Type | undefined)[],
  scope: Scope,
): void {
  if (name.text !== "format" || receiver.kind !== "StringLiteral" || scope.isRepeated) return;
  if (/%[^A-Za-z%]*[[*]/.test(receiver.value)) return;
  const written = [...receiver.value.matchAll(verbs)].filter(({ groups }) => groups?.verb !== "%");
  if (written.length !== args.length) return;
  for (const [index, match] of written.entries()) {
    const wanted = kindsByVerb[match.groups?.verb ?? ""];
    const found = alternativesOf(types[index] ?? { kind: "Unknown" });
    const arg = args[index];
    if (wanted === undefined || arg === undefined || found.length === 0) continue;
    if (!found.every((each) => isUnfit(each, wanted))) continue;
    scope.inference.report("GW3131", arg.span, { verb: match[0], found: shownTypes(found) });
    return;
  }
}

/** Methods that parse a text with a layout, and those that expect a timestamp or a text of the format `date-time`. */
const parsing = /^(?:ts_parse|ts_strptime|parse_timestamp(?:_strptime)?)$/;
const timed = /^(?:ts_(?!parse|strptime)\w+|format_timestamp\w*)$/;

/** Reports a layout that reads no text of the format that the schema of its target names. */
function reportLayout({ name, receiver, args: [first] }: MethodCall, scope: Scope): void {
  const isParsing = parsing.test(name.text);
  const layout = first?.value;
  if ((!isParsing && !timed.test(name.text)) || scope.isRepeated) return;
  if (isParsing && layout?.kind !== "StringLiteral") return;
  const written = isParsing && layout?.kind === "StringLiteral" ? layout.value : undefined;
  const read = readField(receiver);
  const format = formatOf(read, scope);
  const meant = format && meantLayout(name.text, written, format);
  if (format === undefined || meant === undefined) return;
  const field = textAt(read.span);
  if (written === undefined) scope.inference.report("GW3138", name.span, { field, format, meant });
  else if (layout !== undefined) {
    scope.inference.report("GW3138", layout.span, { field, format, meant, layout: written });
  }
}

/** Returns what an expression reads before a fallback or a change of blanks. */
function readField(node: Expression): Expression {
  if (node.kind === "Group") return readField(node.inner);
  if (node.kind === "Binary" && node.operator === "|") return readField(node.left);
  if (node.kind !== "MethodCall" || !/^(?:or|catch|string|not_null|not_empty|trim)$/.test(node.name.text))
    return node;
  return readField(node.receiver);
}

function textAt({ source, start, end }: Span): string {
  return source.text.slice(start, end);
}

function isUnfit({ kind }: Alternative, wanted: readonly string[]): boolean {
  return ["Bool", "Integer", "Float", "String"].includes(kind) && !wanted.includes(kind);
}

/** Infers a call of a builtin about which only its catalogue entry is known. */
export function inferBuiltin(
  node: CallNode,
  call: CheckedCall,
  receiver: Expression | undefined,
  scope: Scope,
): Type {
  const { builtin } = call;
  const { given, isWrong } = inferTarget(receiver, node, call, scope);
  const args = call.args.map((arg, index) => inferArgument(arg, index, { builtin, target: given }, scope));
  const queries = createQueries(call, given, scope);
  const { folder } = scope.inference.facts;
  const isConstant = (arg: Expression | undefined) => arg === undefined || folder.fold(arg) !== undefined;
  const areConstant = builtin.rule !== undefined && call.args.every(isConstant);
  const types: CallTypes = { target: given, args, areConstant, queryResult: queries.resultOf };
  const isFailing = given.kind === "Never" || args.some((arg) => arg?.kind === "Never");
  const isReported = isWrong || call.args.some((arg, index) => isWrongArgument(arg, args[index], scope));
  // The target or an argument was already reported: do not report what follows from it.
  const result = isFailing ? never : isReported ? unknown : resultOfCall(builtin, types);
  queries.inferRest();
  if (isFailing) return never;
  if (result.kind === "Never") reportUnconverted(builtin, given, node.name.span, scope);
  if (node.kind === "MethodCall") {
    reportCollisions(node, given, args[0], scope);
    reportFormat(node, args, scope);
    reportLayout(node, scope);
    reportContains(node, given, args[0], scope);
  }
  queries.requireTests();
  if (canCallFail(builtin, types)) fail(scope, node.span, "builtin", `\`${builtin.name}\` can fail`);
  return builtin.name === "filter" ? queries.narrowElements(result) : result;
}

/** Returns the part of a target's type that the builtin accepts, and whether a mistake was reported. */
function inferTarget(
  receiver: Expression | undefined,
  node: CallNode,
  { builtin, args: [first] }: CheckedCall,
  scope: Scope,
): { readonly given: Type; readonly isWrong: boolean } {
  if (receiver === undefined) return { given: unknown, isWrong: false };
  const type =
    builtin.rescues && first !== undefined ? orNull(receiver, scope) : scope.inference.infer(receiver, scope);
  const accepted = acceptedTarget(builtin);
  if (accepted.kind === "Unknown") return { given: type, isWrong: false };
  const codes = { certain: "GW3104", possible: "GW3105" } as const;
  const method = builtin.name;
  const expected = shownTypes([accepted]);
  const demand: TypeDemand = {
    takes: ofType(accepted),
    user: method,
    report: (found, isCertain) =>
      reportMistake(scope, codes, node.name, { method, found, expected }, isCertain),
  };
  const given = requireKinds(receiver, type, demand, scope);
  reportElements(given, builtin, node.name.span, scope);
  return { given, isWrong: wasReported(type, given) };
}

/** Reports a conversion without a default that fails on every value of its target. */
function reportUnconverted(builtin: Builtin, target: Type, span: Span, scope: Scope): void {
  const converted = convertedTarget(builtin);
  if (converted === undefined || scope.isGuarded) return;
  const [found, expected] = [shownTypes(alternativesOf(target)), shownTypes([converted])];
  scope.inference.report("GW3104", span, { method: builtin.name, found, expected });
}

/** Reports a target with elements whose types the method does not accept. */
function reportElements(target: Type, builtin: Builtin, span: Span, scope: Scope): void {
  const accepted = acceptedElement(builtin);
  if (accepted === undefined || scope.isGuarded) return;
  const arrays = alternativesOf(target).flatMap((each) => (each.kind === "Array" ? [each] : []));
  const elements = arrays.flatMap(({ items }) => alternativesOf(items));
  const takes = ofType(accepted);
  const wrong = elements.filter((each) => each.kind !== "Unknown" && takes(each) === "no");
  if (wrong.length === 0) return;
  const isCertain = arrays.length === 1 && wrong.length === elements.length;
  scope.inference.report(isCertain ? "GW3104" : "GW3105", span, {
    method: builtin.name,
    found: `${isCertain ? "arrays of" : "an array with"} ${shownTypes(wrong)}`,
    expected: `arrays of ${shownTypes([accepted])}`,
  });
}

/** Returns the type of a target that counts as null if it fails. */
function orNull(receiver: Expression, scope: Scope): Type {
  const { type, failures } = inferGuarded(receiver, scope);
  return type.kind === "Never" || canFail(failures) ? unionOf([type, nullType]) : type;
}

/** Whether a mistake in an argument was reported, by the type that it was inferred with. */
function isWrongArgument(arg: Expression | undefined, given: Type | undefined, scope: Scope): boolean {
  const type = arg === undefined ? undefined : scope.inference.types.get(arg);
  return type !== undefined && given !== undefined && wasReported(type, given);
}

/** Returns the type of an argument that is evaluated before the call; for a query, any type. */
export function inferArgument(
  arg: Expression | undefined,
  index: number,
  { builtin, target }: { readonly builtin: Builtin; readonly target: Type },
  scope: Scope,
): Type | undefined {
  const parameter = builtin.parameters[index];
  if (arg === undefined)
    return parameter?.default === undefined ? undefined : typeOfConstant(parameter.default);
  if (parameter?.query !== undefined) return unknown;
  const type = scope.inference.infer(arg, scope);
  const mustBeText = parameter?.textForText === true && isOnly(target, "String", "Bytes");
  const accepted = mustBeText ? anyText : acceptedArgument(builtin, index);
  if (accepted.kind === "Unknown") return type;
  const codes = { certain: "GW3106", possible: "GW3107" } as const;
  const details = { builtin: builtin.name, parameter: parameter?.name, expected: shownTypes([accepted]) };
  const demand: TypeDemand = {
    takes: ofType(accepted),
    user: builtin.name,
    report: (found, isCertain) => reportMistake(scope, codes, arg, { ...details, found }, isCertain),
  };
  return requireKinds(arg, type, demand, scope);
}

/**
 * Reports each field of an object literal in `merge(…)` that is a single value both there and in the target: `merge`
 * combines both values in an array.
 */
function reportCollisions(node: MethodCall, target: Type, added: Type | undefined, scope: Scope): void {
  const literal = node.args[0]?.value;
  if (node.name.text !== "merge" || literal?.kind !== "ObjectLiteral" || added === undefined) return;
  if (!scope.isRepeated) reportEntries(literal, target, added, scope);
}

function reportEntries(literal: Expression, target: Type, added: Type, scope: Scope): void {
  if (literal.kind !== "ObjectLiteral") return;
  for (const entry of literal.entries) {
    const key = entry.key.kind === "StringLiteral" ? entry.key.value : undefined;
    const ours = key === undefined ? undefined : fieldOf(target, key);
    const theirs = key === undefined ? undefined : fieldOf(added, key);
    if (key === undefined || ours === undefined || theirs === undefined) continue;
    if (isOneValue(ours) && isOneValue(theirs)) scope.inference.report("GW4090", entry.key.span, { key });
    // Objects are merged field by field.
    else reportEntries(entry.value, ours, theirs, scope);
  }
}

/** Returns the type of a field that the object certainly has. */
function fieldOf(type: Type, name: string): Type | undefined {
  if (type.kind !== "Object") return undefined;
  const field = type.fields.get(name);
  return field?.required === true ? field.type : undefined;
}

/** Whether a value is certainly neither an object, nor an array, nor missing. */
function isOneValue(type: Type): boolean {
  const kinds = alternativesOf(type).map(({ kind }) => kind);
  return kinds.length > 0 && kinds.every((kind) => single.has(kind));
}

const single: ReadonlySet<string> = new Set(["Bool", "Integer", "Float", "String", "Bytes", "Timestamp"]);
