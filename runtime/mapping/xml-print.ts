// Prints an object as XML, the inverse of xml.ts.

import { MappingError } from "../errors.ts";
import { isArray, isObject, type ObjectValue, type Value } from "../message/value.ts";
import { compareUtf8, encodeUtf8 } from "../text/utf8.ts";
import { boolArgument, objectTarget, textArgument } from "./arguments.ts";
import { isAbsent, textOf } from "./text.ts";

interface Layout {
  /** The indentation per level; `undefined` to print everything on one line. */
  readonly indent: string | undefined;
}

/** `.format_xml(indent, no_indent)`: an object with one element becomes that element, any other is wrapped in `doc`. */
export function formatXml(target: Value, _from: string, indent: Value, noIndent: Value): Uint8Array {
  const call = "method 'format_xml'";
  const unit = textArgument(call, "indent", indent);
  const layout: Layout = { indent: boolArgument(call, "no_indent", noIndent) ? undefined : unit };
  const document = objectTarget(target, "");
  const [only, another] = Object.entries(document);
  const single = only !== undefined && another === undefined && isRoot(only[1], layout);
  const [name, content]: readonly [string, Value] = single ? only : ["doc", document];
  const written: string[] = [];
  writeElement(name, content, 0, layout, written);
  return encodeUtf8(written.join("").replace(/\n$/, ""));
}

/** Whether a value is printed without `doc` around it. On one line, like the reference engine, that includes arrays of objects. */
function isRoot(value: Value, { indent }: Layout): boolean {
  return !isArray(value) || (indent === undefined && value.every(isObject));
}

/** Writes one element, or one for each item of an array. With indentation, a line feed follows each element. */
function writeElement(name: string, value: Value, depth: number, layout: Layout, written: string[]): void {
  const pad = layout.indent === undefined ? "" : layout.indent.repeat(depth);
  const end = layout.indent === undefined ? "" : "\n";
  if (isArray(value) && value.length > 0) {
    // Like the reference engine: indents nested arrays one level further, and pads the `/>` of an empty array.
    for (const item of value) writeElement(name, item, isArray(item) ? depth + 1 : depth, layout, written);
    return;
  }
  if (isArray(value)) {
    const inner = layout.indent === undefined ? "" : layout.indent.repeat(Math.max(depth - 1, 0));
    written.push(`${pad}<${name}${inner}/>${depth > 1 ? end : ""}`);
  } else if (isAbsent(value)) written.push(`${pad}<${name}/>${end}`);
  else if (isObject(value)) {
    written.push(`${pad}<${name}`);
    writeContent(name, value, depth, layout, written);
    written.push(end);
  } else {
    const text = escaped(textOf(value));
    written.push(text === "" ? `${pad}<${name}/>${end}` : `${pad}<${name}>${text}</${name}>${end}`);
  }
}

/** Writes the attributes, the content and the end of an element. */
function writeContent(
  name: string,
  value: ObjectValue,
  depth: number,
  layout: Layout,
  written: string[],
): void {
  const keys = Object.keys(value).sort(compareUtf8);
  const attributes = keys.filter(isAttribute);
  const children = keys.filter((key) => key !== "#text" && !isAttribute(key));
  for (const key of attributes) written.push(attribute(key, value[key] ?? null));
  const text = Object.hasOwn(value, "#text") ? escaped(textOf(value["#text"] ?? null)) : undefined;
  if (children.length === 0) {
    if (text === undefined) written.push("/>");
    else written.push(text === "" ? `></${name}>` : `>${text}</${name}>`);
    return;
  }
  const pad = layout.indent === undefined ? "" : layout.indent.repeat(depth);
  written.push(`>${text ?? ""}${layout.indent === undefined ? "" : "\n"}`);
  for (const key of children) writeElement(key, value[key] ?? null, depth + 1, layout, written);
  written.push(`${pad}</${name}>`);
}

function isAttribute(key: string): boolean {
  return key.length > 1 && key.startsWith("-");
}

function attribute(key: string, value: Value): string {
  if (isAbsent(value) || isArray(value) || isObject(value))
    throw new MappingError(`invalid attribute value for: ${key}`);
  return ` ${key.slice(1)}="${escaped(textOf(value))}"`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
