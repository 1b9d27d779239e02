// Infers the types of fields that are read, and reports fields that certainly do not exist.

import { nameElsewhere } from "../../builtins/names-elsewhere.ts";
import { difference, suggest } from "../../diagnostics/suggest.ts";
import type { Span } from "../../source/source.ts";
import type { Expression, FieldAccess, Name } from "../../trees/mapping.ts";
import { type Alternative, alternativesOf } from "../../value-types/alternatives.ts";
import { fieldOf, typeAtPath } from "../../value-types/fields.ts";
import { type ObjectType, type Type, unknown } from "../../value-types/type.ts";
import { literalsElsewhere, misspelt } from "../mapping/bare-words.ts";
import { shownTypes } from "./demands.ts";
import { assignState, findState } from "./environment.ts";
import { absences } from "./joining.ts";
import type { Scope } from "./scope.ts";

/** One step of a path as it is written. */
interface Step {
  readonly text: string;
  readonly span: Span;
}

/** `receiver.a.b.c`: all fields of the chain in one loop, so that long chains do not recurse. */
export function inferField(node: FieldAccess, scope: Scope): Type {
  const chain: FieldAccess[] = [];
  let receiver: Expression = node;
  for (; receiver.kind === "FieldAccess"; receiver = receiver.receiver) chain.unshift(receiver);
  const base = scope.inference.infer(receiver, scope);
  if (reportUncalled(node, base, scope)) return unknown;
  const [first] = chain;
  if (first !== undefined && reportMisspeltThis(first, base, scope)) return unknown;
  if (first !== undefined && reportMisspeltLabel(first, base, scope)) return unknown;
  if (first !== undefined) forgetArray(receiver, base, first.name, scope);
  const steps = chain.map(({ name }) => stepOf(name));
  return readSteps(base, steps, scope, first && documentAdvice(receiver, first.name, scope));
}

/**
 * Returns advice if a variable has the name, or if `this` is the subject of `match` or of a method and only the document
 * has the field.
 */
function documentAdvice(receiver: Expression, { text }: Name, scope: Scope): string | undefined {
  const { current, block, environment } = scope;
  if (receiver.kind === "This" && receiver.implicit && block.variables.has(text))
    return `Write \`$${text}\` to read the variable.`;
  if (receiver.kind !== "This" || current === block.document) return undefined;
  const document = findState(environment, block.document)?.type;
  if (document === undefined || !fieldOf(document, text).declared) return undefined;
  return `\`this\` is another value here. Set \`let document = this\` before, and read \`$document.${text}\`.`;
}

/** Treats a label for an array that was meant for its elements as unknown: further reads are the same mistake. */
function forgetArray(receiver: Expression, base: Type, { text }: Name, scope: Scope): void {
  const place = receiver.kind === "ContextName" ? scope.labels.get(receiver.name) : undefined;
  const isArray =
    alternativesOf(base).every(({ kind }) => kind === "Array") && !/^(?:[+-]?\d+|\*)$/.test(text);
  if (place !== undefined && isArray && !scope.isGuarded)
    assignState(scope.environment, place, { type: unknown });
}

function stepOf({ text, span }: Name): Step {
  return { text, span };
}

/** Returns the type at the end of a path. A field that is certainly absent is reported and has the type `Unknown`. */
export function readSteps(base: Type, steps: readonly Step[], scope: Scope, advice?: string): Type {
  let type = base;
  for (const [index, step] of steps.entries()) {
    if (type.kind === "Unknown" || type.kind === "Never") return type;
    if (step.text === "*")
      return typeAtPath(
        type,
        steps.slice(index).map(({ text }) => text),
      );
    if (isMissing(type, step, scope, index === 0 ? advice : undefined)) return unknown;
    type = fieldOf(type, step.text).type;
  }
  return type;
}

/** Whether nothing declares the field. Reports it, unless it has a fallback and does not resemble another name. */
function isMissing(type: Type, step: Step, scope: Scope, advice: string | undefined): boolean {
  const alternatives = alternativesOf(type);
  const { declared, presence } = fieldOf(type, step.text);
  if (declared || presence === "present") return false;
  const holders = alternatives.filter(({ kind }) => !absences.has(kind));
  // The result of a recursive map is not known before the map ends.
  if (holders.length === 0 || holders.some(({ kind }) => kind === "Unknown")) return false;
  const objects = holders.filter((alternative) => alternative.kind === "Object");
  if (objects.length === 0) return isFieldless(holders, step, scope, advice);
  if (objects.some((object) => isOpenTo(object, step.text))) return false;
  return reportUnknownField(step, objects, scope, advice);
}

/**
 * Whether an object may have an undeclared field: its schema describes additional fields, or declares no field at all.
 */
function isOpenTo({ rest, fields }: ObjectType, name: string): boolean {
  if (rest === undefined) return false;
  // A condition has shown that the field is absent.
  if (fields.get(name)?.type.kind === "Never") return true;
  return rest.kind !== "Unknown" || !Array.from(fields.values()).some(({ span }) => span !== undefined);
}

function isFieldless(
  holders: readonly Alternative[],
  step: Step,
  scope: Scope,
  other: string | undefined,
): boolean {
  const isElement = holders.some(({ kind }) => kind === "Array") && /^[+-]?[0-9]+$/.test(step.text);
  if (isElement || scope.isGuarded) return false;
  const isArray = holders.every(({ kind }) => kind === "Array");
  const advice = other ?? callOf(step, scope);
  const details = { name: step.text, found: shownTypes(holders), isArray, advice };
  scope.inference.report("GW3121", step.span, details);
  return true;
}

/** Returns advice if a field has the name of a method, in our language or another one. */
function callOf({ text }: Step, scope: Scope): string | undefined {
  const { builtins } = scope.inference.facts;
  const method = builtins.isPartial ? undefined : nameElsewhere("method", text, builtins).closest;
  return method && `Call the method: \`.${method}()\`.`;
}

function reportUnknownField(
  step: Step,
  objects: readonly ObjectType[],
  scope: Scope,
  advice: string | undefined,
): boolean {
  const declared = objects.map(({ fields }) => declaredFields(fields));
  const names = joinNames(declared.map((each) => each.names));
  const closest = advice === undefined ? suggest(step.text, names) : undefined;
  const isClosed = objects.every(({ rest }) => rest === undefined);
  // Other names would need quotes.
  const respelling = closest !== undefined && /^\w+$/.test(closest) ? ("unsure" as const) : undefined;
  const details = { name: step.text, closest, respelling, names, advice };
  const { report } = scope.inference;
  if (scope.isGuarded) {
    if (closest === undefined) return false;
    report(isClosed ? "GW3100" : "GW3101", step.span, details);
    return true;
  }
  const isBuilt = declared.every((each) => each.isBuilt);
  // The result of a mapping may be read before it is complete. It is null then, which can be intended.
  const isCertain = (closest ?? advice) !== undefined || (isClosed && !isBuilt);
  report(isCertain ? "GW3100" : "GW3101", step.span, details);
  return true;
}

/** What is known of the fields of an object. */
interface DeclaredFields {
  readonly names: readonly string[];
  /** Whether a mapping sets all of them, and no schema declares one. */
  readonly isBuilt: boolean;
}

/** Cached, because many unknown fields may be read from one large object. */
const declaredIn = new WeakMap<ObjectType["fields"], DeclaredFields>();

function declaredFields(fields: ObjectType["fields"]): DeclaredFields {
  const known = declaredIn.get(fields);
  if (known !== undefined) return known;
  const declared = {
    names: Array.from(fields).flatMap(([name, { type }]) => (type.kind === "Never" ? [] : [name])),
    isBuilt: !Array.from(fields.values()).some(({ span }) => span !== undefined),
  };
  declaredIn.set(fields, declared);
  return declared;
}

/** The names of several objects together, by those of the first one. */
const joined = new WeakMap<
  readonly string[],
  { lists: readonly (readonly string[])[]; names: readonly string[] }
>();

function joinNames(lists: readonly (readonly string[])[]): readonly string[] {
  const [first = [], ...others] = lists;
  if (others.length === 0) return first;
  const known = joined.get(first);
  if (known?.lists.length === lists.length && lists.every((list, at) => list === known.lists[at]))
    return known.names;
  const names = [...new Set(lists.flat())];
  joined.set(first, { lists, names });
  return names;
}

/** Functions without arguments whose names are also common field names. */
const likeFields: ReadonlySet<string> = new Set([
  "content",
  "count",
  "counter",
  "error",
  "hostname",
  "json",
  "meta",
  "metadata",
  "pi",
]);

/** Reports `thsi` for `this`, if nothing declares a field `thsi`. Returns whether it was reported. */
function reportMisspeltThis({ receiver, name }: FieldAccess, holder: Type, scope: Scope): boolean {
  if (receiver.kind !== "This" || !receiver.implicit || !misspelt.this.test(name.text)) return false;
  if (fieldOf(holder, name.text).declared) return false;
  scope.inference.report("GW3125", name.span, { name: name.text, meant: "the message", instead: "this" });
  return true;
}

/**
 * Reports `lne` for `line` in the lambda `line -> …`, if nothing declares a field `lne` and it has the letters of the
 * label in another order, or one less inside. Returns whether it was reported.
 */
function reportMisspeltLabel({ receiver, name }: FieldAccess, holder: Type, scope: Scope): boolean {
  if (receiver.kind !== "This" || !receiver.implicit || fieldOf(holder, name.text).declared) return false;
  const label = [...scope.labels.keys()].find((each) => isMistyped(name.text, each));
  if (label === undefined) return false;
  scope.inference.report("GW3125", name.span, { name: name.text, meant: `\`${label}\``, instead: label });
  return true;
}

/** Whether a word is a name of four letters or more with two letters swapped, or without one inside. */
function isMistyped(word: string, name: string): boolean {
  if (name.length < 4 || word === name || difference(word, name) !== 1) return false;
  const isShorter = word.length === name.length - 1;
  if (isShorter) return word.at(0) === name.at(0) && word.at(-1) === name.at(-1);
  return word.length === name.length && [...word].sort().join("") === [...name].sort().join("");
}

/** Reports `now` for `now()`, if nothing declares a field `now`. Returns whether it was reported. */
function reportUncalled({ receiver, name }: FieldAccess, holder: Type, scope: Scope): boolean {
  if (receiver.kind !== "This" || !receiver.implicit) return false;
  const literal = literalsElsewhere.get(name.text);
  if (literal !== undefined && !fieldOf(holder, name.text).declared) {
    scope.inference.report("GW3125", name.span, {
      name: name.text,
      meant: `\`${literal}\``,
      instead: literal,
    });
    return true;
  }
  if (likeFields.has(name.text)) return false;
  const isFunction = scope.inference.facts.builtins
    .findFunction(name.text)
    ?.parameters.every((parameter) => parameter.optional === true || parameter.default !== undefined);
  if (isFunction !== true || fieldOf(holder, name.text).declared) return false;
  scope.inference.report("GW4139", name.span, { name: name.text });
  return true;
}
