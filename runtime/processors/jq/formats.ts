// `@csv` and the other formats, which convert values to text.

import { base32Decode, base32Encode } from "../../text/base32.ts";
import { asBuffer } from "../../text/utf8.ts";
import { spendOnText } from "./run.ts";
import { described, failure, isList, type JqValue, printJq } from "./values.ts";

const formats: Readonly<Record<string, (value: JqValue) => string>> = {
  "@text": textOf,
  "@json": printJq,
  "@html": (value) => textOf(value).replace(/[<>&'"]/g, (found) => entities[found] ?? found),
  "@uri": (value) => encodeUri(textOf(value)),
  "@urid": decodeUri,
  "@csv": (value) =>
    row("csv", value, ",", (text) => `"${text.replaceAll('"', '""').replaceAll("\0", "\\0")}"`),
  "@tsv": (value) =>
    row("tsv", value, "\t", (text) => text.replace(/[\t\r\n\\\0]/g, (found) => controls[found] ?? found)),
  "@sh": (value) =>
    row(
      "sh",
      isList(value) ? value : [value],
      " ",
      (text) => `'${text.replaceAll("'", "'\\''").replaceAll("\0", "\\0")}'`,
    ),
  "@base64": (value) => Buffer.from(textOf(value)).toString("base64"),
  "@base64d": decodeBase64,
  "@base32": (value) => base32Encode(Buffer.from(textOf(value))),
  "@base32d": decodeBase32,
};
const entities: Readonly<Record<string, string>> = {
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  "'": "&apos;",
  '"': "&quot;",
};
const controls: Readonly<Record<string, string>> = {
  "\t": "\\t",
  "\r": "\\r",
  "\n": "\\n",
  "\\": "\\\\",
  "\0": "\\0",
};

/** Whether a format exists. */
export function isFormat(name: string): boolean {
  return Object.hasOwn(formats, name);
}

/** Returns the text of a value in a format. Throws if the format does not exist. */
export function formatted(name: string, value: JqValue): string {
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (format === undefined) throw failure(`format not defined: ${name}`);
  if (typeof value === "string") spendOnText(value);
  return format(value);
}

/** Returns a text unchanged, and any other value as JSON. */
export function textOf(value: JqValue): string {
  return typeof value === "string" ? value : printJq(value);
}

function row(name: string, value: JqValue, separator: string, quote: (text: string) => string): string {
  if (!isList(value)) throw failure(`@${name} cannot be applied to: ${described(value)}`);
  const cells = value.map((cell) => {
    if (typeof cell === "object" && cell !== null)
      throw failure(`@${name} cannot format an array including: ${described(cell)}`);
    if (typeof cell === "string") return quote(cell);
    const text = printJq(cell);
    return text === "null" && name !== "sh" ? "" : text;
  });
  return cells.join(separator);
}

/** Encodes a text as in forms: a space becomes `+`. */
function encodeUri(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replaceAll("%20", "+")
    .replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);
}

function decodeUri(value: JqValue): string {
  const text = textOf(value);
  const broken = /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(text);
  if (broken !== null)
    throw failure(`@urid cannot be applied to ${printJq(value)}: invalid URL escape ${printJq(broken[0])}`);
  const bytes = text
    .replaceAll("+", " ")
    .split(/%([0-9a-fA-F]{2})/)
    .map((part, index) => (index % 2 === 0 ? Buffer.from(part) : Buffer.from(part, "hex")));
  return Buffer.concat(bytes).toString();
}

function decodeBase64(value: JqValue): string {
  const [text = ""] = textOf(value).split("=", 1);
  const broken = /[^A-Za-z0-9+/\r\n]/.exec(text);
  const length = text.replace(/[\r\n]/g, "").length;
  if (broken !== null || length % 4 === 1)
    throw failure(
      `@base64d cannot be applied to ${printJq(value)}: illegal base64 data at input byte ${broken?.index ?? text.length}`,
    );
  return Buffer.from(text, "base64").toString();
}

function decodeBase32(value: JqValue): string {
  const [text = ""] = textOf(value).split("=", 1);
  if (/[^A-Z2-7]/.test(text))
    throw failure(`@base32d cannot be applied to ${printJq(value)}: illegal base32 data`);
  return asBuffer(base32Decode(text)).toString();
}
