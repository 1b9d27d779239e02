// An object as XML; the opposite of xml.ts.

import { MappingError } from "../errors.ts";
import { compareUtf8, encodeUtf8 } from "../utf8.ts";
import { isArray, isObject, type ObjectValue, type Value } from "../value.ts";
import { boolArgument, objectTarget, textArgument } from "./arguments.ts";
import { isAbsent, textOf } from "./text.ts";

interface Layout {
  /** Undefined where everything stands on one line. */
  readonly indent: string | undefined;
}

/** `.format_xml(indent, no_indent)`: an object of one element is that element, any other stands in `doc`. */
export function formatXml(target: Value, _from: string, indent: Value, noIndent: Value): Uint8Array {
  const call = "method 'format_xml'";
  const document = objectTarget(target, "");
  const unit = textArgument(call, "indent", indent);
  const layout: Layout = { indent: boolArgument(call, "no_indent", noIndent) ? undefined : unit };
  const [only, another] = Object.entries(document);
  const single = only !== undefined && another === undefined && !isArray(only[1]);
  const [name, content]: readonly [string, Value] = single ? only : ["doc", document];
  return encodeUtf8(element(name, content, 0, layout).replace(/\n$/, ""));
}

/** One element, or several of a name for an array, each closed by a line feed where things are laid out. */
function element(name: string, value: Value, depth: number, layout: Layout): string {
  const pad = layout.indent === undefined ? "" : layout.indent.repeat(depth);
  const end = layout.indent === undefined ? "" : "\n";
  if (isArray(value) && value.length > 0)
    return value.map((item) => element(name, item, depth, layout)).join("");
  // The reference pads the end of what is empty in this way, too.
  if (isArray(value) || isAbsent(value)) return `${pad}<${name}${pad}/>${end}`;
  if (isObject(value)) return `${pad}<${name}${objectContent(name, value, depth, layout)}${end}`;
  const text = escaped(textOf(value));
  return text === "" ? `${pad}<${name}/>${end}` : `${pad}<${name}>${text}</${name}>${end}`;
}

/** Attributes, content and end of an element. */
function objectContent(name: string, value: ObjectValue, depth: number, layout: Layout): string {
  const keys = Object.keys(value).sort(compareUtf8);
  const attributes = keys.filter(isAttribute);
  const children = keys.filter((key) => key !== "#text" && !isAttribute(key));
  const written = attributes.map((key) => attribute(key, value[key] ?? null)).join("");
  const text = Object.hasOwn(value, "#text") ? escaped(textOf(value["#text"] ?? null)) : undefined;
  if (text === undefined && children.length === 0) return `${written}/>`;
  if (children.length === 0) return text === "" ? `${written}></${name}>` : `${written}>${text}</${name}>`;
  const pad = layout.indent === undefined ? "" : layout.indent.repeat(depth);
  const inner = children.map((key) => element(key, value[key] ?? null, depth + 1, layout)).join("");
  return `${written}>${text ?? ""}${layout.indent === undefined ? "" : "\n"}${inner}${pad}</${name}>`;
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
