// Reads the keywords of a JSON Schema that several rules need.

import type { Span } from "../source/source.ts";
import {
  type DocumentNode,
  findEntry,
  findNode,
  findText,
  type MapNode,
  type ScalarNode,
} from "../trees/document.ts";
import { booleanOf, itemsOf } from "./written.ts";

/** A keyword whose value is a text, such as `$id`. */
export interface TextKeyword {
  readonly text: string;
  readonly span: Span;
}

/** Returns the text of a keyword; `undefined` if the schema has none. */
export function textKeyword(schema: DocumentNode, keyword: string): TextKeyword | undefined {
  const value = findEntry(schema, keyword)?.value;
  const text = findText(value);
  return value === undefined || text === undefined ? undefined : { text, span: value.span };
}

/** Returns the names in `type`, which is one or a list of them; `""` for anything else in it. */
export function typesIn(schema: DocumentNode): readonly string[] {
  const type = findNode(schema, "type");
  return (type?.kind === "list" ? type.items : [type]).map((each) => findText(each) ?? "");
}

/** Whether a schema contains `nullable: true`. */
export function isNullable(schema: DocumentNode): boolean {
  return booleanOf(findNode(schema, "nullable")) === true;
}

/** Returns the items of `required`. */
export function requiredIn(schema: DocumentNode): readonly DocumentNode[] {
  return itemsOf(findNode(schema, "required"));
}

/** Returns the items of `enum`. */
export function choicesIn(schema: DocumentNode | undefined): readonly DocumentNode[] {
  return itemsOf(findNode(schema, "enum"));
}

/** Whether a schema contains `additionalProperties: false`. */
export function refusesOthers(schema: DocumentNode): boolean {
  return booleanOf(findNode(schema, "additionalProperties")) === false;
}

/** Returns the keyword for a bound that excludes a value; `undefined` if none does. */
export function boundExceededBy(value: ScalarNode["value"], schema: MapNode): string | undefined {
  const amount = typeof value === "string" ? [...value].length : Number(value);
  const [least, most] = typeof value === "string" ? ["minLength", "maxLength"] : ["minimum", "maximum"];
  const limitOf = (keyword: string) => {
    const limit = findNode(schema, keyword);
    if (limit?.kind !== "scalar") return undefined;
    return typeof limit.value === "number" || typeof limit.value === "bigint"
      ? Number(limit.value)
      : undefined;
  };
  const [low, high] = [limitOf(least), limitOf(most)];
  if (typeof value === "boolean" || value === null) return undefined;
  // Bounds that exclude every value are reported.
  if (low !== undefined && high !== undefined && low > high) return undefined;
  if (low !== undefined && amount < low) return least;
  if (high !== undefined && amount > high) return most;
  if (typeof value === "string") return undefined;
  const isFlag = (keyword: string) => booleanOf(findNode(schema, keyword)) === true;
  const [above, below] = [limitOf("exclusiveMinimum"), limitOf("exclusiveMaximum")];
  if ((above !== undefined && amount <= above) || (amount === low && isFlag("exclusiveMinimum")))
    return "exclusiveMinimum";
  const isBelow = (below !== undefined && amount >= below) || (amount === high && isFlag("exclusiveMaximum"));
  return isBelow ? "exclusiveMaximum" : undefined;
}
