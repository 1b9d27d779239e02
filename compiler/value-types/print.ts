// Prints a type as a short text for people.

import type { Field, ObjectType, Type } from "./type.ts";
import { membersOf } from "./union.ts";

/** Options for the level of detail. */
export interface PrintOptions {
  /** The wanted maximum length. Deeper levels and later fields become `…` to meet it. */
  readonly maximumLength?: number;
}

const defaultLength = 80;
const maximumDepth = 6;
const maximumWidth = 32;

/**
 * Returns `string | null`, `"a" | "b"`, `{ id: string, total?: number, … }` or `string[]`. A `…` in an object
 * represents fields that are not printed, because the type does not know them or space is missing. Recursive types
 * appear by name, except `type` itself, which is expanded. Among the texts with limited depth and width that fit, the
 * most detailed is returned.
 */
export function printType(type: Type, { maximumLength = defaultLength }: PrintOptions = {}): string {
  const shown = type.kind === "Recursive" ? type.unfold() : type;
  let best = "";
  // In order of increasing size, so that texts that are far too long are never built.
  for (let depth = 0; depth <= maximumDepth; depth++) {
    for (let width = 1; width <= maximumWidth; width *= 2) {
      const text = print(shown, { depth, width });
      if (text.length > maximumLength) break;
      if (text.length >= best.length) best = text;
    }
  }
  return best === "" ? `${print(shown, { depth: 0, width: 1 }).slice(0, maximumLength - 1)}…` : best;
}

/** Returns the type on one line of any length, down to `depth` levels. Recursive types appear by name. */
export function printLine(type: Type, depth: number): string {
  return print(type, { depth, width: Number.POSITIVE_INFINITY });
}

/** Returns a field's name as it precedes its type: `total?`. */
export function printFieldName(name: string, { required }: Field): string {
  const key = /^[\p{L}_$@][\p{L}\p{N}_$@-]*$/u.test(name) ? name : JSON.stringify(name);
  return `${key}${required ? "" : "?"}`;
}

/** The number of levels, and of parts in each, that fit. */
interface Room {
  readonly depth: number;
  readonly width: number;
}

function print(type: Type, room: Room): string {
  switch (type.kind) {
    case "Null":
      return "null";
    case "Bool":
      return type.value === undefined ? "bool" : String(type.value);
    case "Integer":
      return type.value === undefined ? "integer" : String(type.value);
    case "Float":
      return "number";
    case "String":
      return type.value === undefined ? "string" : printText(type.value, room);
    case "Array":
      return printArray(type.items, room);
    case "Object":
      return printObject(type, room);
    case "Union":
      return printUnion(type, room);
    case "Recursive":
      return type.name;
    case "Deleted":
    case "Nothing":
      return `${type.kind.toLowerCase()}()`;
    default:
      return type.kind.toLowerCase();
  }
}

/** Returns a quoted text; long texts end in `…`. */
function printText(text: string, { width }: Room): string {
  const longest = width * 4;
  const points = [...text];
  return JSON.stringify(points.length > longest ? `${points.slice(0, longest).join("")}…` : text);
}

function printArray(items: Type, room: Room): string {
  if (items.kind === "Never") return "[]";
  const text = print(items, { ...room, depth: room.depth - 1 });
  return membersOf(items).length > 1 && text.includes(" | ") ? `(${text})[]` : `${text}[]`;
}

function printUnion(type: Type, room: Room): string {
  const members = membersOf(type);
  const hasFloat = members.some(({ kind }) => kind === "Float");
  // JSON numbers include integers.
  const said = hasFloat ? members.filter(({ kind }) => kind !== "Integer") : members;
  const texts = [...new Set(said.map((member) => print(member, room)))];
  return withEllipsis(texts, room.width).join(" | ");
}

function printObject({ fields, rest }: ObjectType, room: Room): string {
  if (fields.size === 0 && (rest === undefined || rest.kind === "Unknown")) {
    return rest === undefined ? "{}" : "object";
  }
  if (room.depth <= 0) return "object";
  const below = { ...room, depth: room.depth - 1 };
  const texts = Array.from(fields).flatMap(([name, field]) => printField(name, field, below));
  if (rest !== undefined && rest.kind !== "Unknown") texts.push(`[string]: ${print(rest, below)}`);
  const shown = withEllipsis(texts, room.width);
  if (rest?.kind === "Unknown" && shown.at(-1) !== "…") shown.push("…");
  return `{ ${shown.join(", ")} }`;
}

/** Prints a field; leaves out fields that cannot be present. */
function printField(name: string, field: Field, room: Room): readonly string[] {
  if (field.type.kind === "Never") return [];
  return [`${printFieldName(name, field)}: ${print(field.type, room)}`];
}

function withEllipsis(texts: readonly string[], width: number): string[] {
  return texts.length > width ? [...texts.slice(0, width), "…"] : [...texts];
}
