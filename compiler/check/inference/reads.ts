// Infers reads by name: `this`, labels, the root, variables, metadata.

import { nearest } from "../../diagnostics/suggest.ts";
import type { Span } from "../../source/source.ts";
import type { ContextName, Expression, MetadataExpression, This, Variable } from "../../trees/mapping.ts";
import { alternativesOf } from "../../value-types/alternatives.ts";
import { fieldNamesOf, fieldOf } from "../../value-types/fields.ts";
import { type Type, unknown } from "../../value-types/type.ts";
import { findState } from "./environment.ts";
import type { Place } from "./place.ts";
import { fail, type Scope, typeOfPlace, variablePlace } from "./scope.ts";

/** `this` */
export function inferThis(node: This, scope: Scope): Type {
  return readContext(scope.current, node.span, scope);
}

/** The label of a lambda. */
export function inferLabel(node: ContextName, scope: Scope): Type {
  return readContext(scope.labels.get(node.name) ?? scope.block.document, node.span, scope);
}

/** `root` on the right of an assignment: a reference to the object under construction. */
export function inferRoot(span: Span, scope: Scope): Type {
  if (scope.block.kind === "query") {
    // Reads from it were reported with the name.
    fail(scope, span, "root", "only mappings make a new message");
    return unknown;
  }
  const type = typeOfPlace(scope, scope.block.root);
  disown(scope);
  return type;
}

/** From here on, assignments must not change in place an object that other code may have read. */
export function disown({ environment }: Scope): void {
  for (let at: typeof environment | undefined = environment; at !== undefined; at = at.origin)
    at.owned.clear();
}

/** Reads `this` or a label. The document exists only if the message is JSON. */
function readContext(place: Place, span: Span, scope: Scope): Type {
  const type = typeOfPlace(scope, place);
  if (place === scope.block.root) disown(scope);
  return place === scope.block.document && scope.block.kind !== "map" ? documentOf(type, span, scope) : type;
}

/** Returns the document of a message: bytes without a schema may be JSON or not. */
export function documentOf(type: Type, span: Span, scope: Scope): Type {
  const mayFail = alternativesOf(type).some(({ kind }) => notParsed.has(kind));
  if (!mayFail) return type;
  fail(scope, span, "document", "the message may not be JSON");
  return unknown;
}

const notParsed: ReadonlySet<Type["kind"]> = new Set(["Unknown", "Bytes", "Nothing"]);

/** `$name` */
export function inferVariable({ name, span }: Pick<Variable, "name" | "span">, scope: Scope): Type {
  const state = findState(scope.environment, variablePlace(scope.block, name));
  if (state === undefined || state.maybeUnset === true)
    fail(scope, span, "variable", `\`$${name}\` may be unset`);
  // A variable that nothing sets is reported by an earlier check.
  if (state === undefined) return unknown;
  if (state.maybeUnset === true && !scope.isGuarded) scope.inference.report("GW3114", span, { name });
  return state.type;
}

/** `@name`, `@` */
export function inferMetadata(node: MetadataExpression, scope: Scope): Type {
  const type = typeOfPlace(scope, scope.block.built);
  if (node.key !== undefined) return readMetadata(type, node.key, scope);
  disown(scope);
  return type;
}

/** Returns one metadata value; a key that is never set is reported. */
export function readMetadata(
  type: Type,
  key: { readonly text: string; readonly span: Span },
  scope: Scope,
): Type {
  const { declared, type: found } = fieldOf(type, key.text);
  if (declared || type.kind === "Unknown") return found;
  const isClosed = alternativesOf(type).every((each) => each.kind === "Object" && each.rest === undefined);
  const { names, dashed, dashless, headers } = metadataNamesOf(type);
  // A query parameter or a cookie may have the same name as a header except for its dashes.
  const spelled = isClosed ? names : key.text.includes("-") ? dashed : dashless;
  // A name with a fallback may be a parameter or a cookie in addition to the header.
  const header = scope.isGuarded ? undefined : headers.get(plainName(key.text));
  const near =
    header === undefined ? nearest(key.text, spelled) : ({ closest: header, respelling: "sure" } as const);
  if (near.closest === undefined && (!isClosed || scope.isGuarded)) return found;
  const set = near.closest === undefined ? undefined : fieldOf(type, near.closest).span;
  const related = set && { span: set, message: `\`${near.closest}\` is set here.` };
  scope.inference.report("GW3117", key.span, { key: key.text, ...near, names }, related);
  return unknown;
}

/** The names in metadata. */
interface MetadataNames {
  readonly names: readonly string[];
  readonly dashed: readonly string[];
  readonly dashless: readonly string[];
  /** The names that are spelled like headers of HTTP, by their plain form. */
  readonly headers: ReadonlyMap<string, string>;
}

/** Cached, because many unknown keys may be read from the same metadata. */
const metadataNames = new WeakMap<Type, MetadataNames>();

function metadataNamesOf(type: Type): MetadataNames {
  const known = metadataNames.get(type);
  // An assignment adds to metadata in place.
  if (known !== undefined && (type.kind !== "Object" || type.fields.size === known.names.length))
    return known;
  const names = fieldNamesOf(type);
  const dashed = names.filter((name) => name.includes("-"));
  const headers = dashed.filter((name) => /[A-Z]/.test(name)).toReversed();
  const found = {
    names,
    dashed,
    dashless: names.filter((name) => !name.includes("-")),
    headers: new Map(headers.map((name) => [plainName(name), name])),
  };
  metadataNames.set(type, found);
  return found;
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}

/** Returns the source range of an expression; of a quoted string, the range between its quotes. */
export function insideQuotes(node: Expression): Span {
  const { source, start, end } = node.span;
  const isQuoted = node.kind === "StringLiteral" && !node.raw;
  return isQuoted ? { source, start: start + 1, end: end - 1 } : node.span;
}
