// jq functions on texts.

import { parseJsonText } from "../../message/json.ts";
import { type Builtins, plain } from "./builtin.ts";
import { unfit } from "./builtins-values.ts";
import { formatted, isFormat } from "./formats.ts";
import { joined, parts, unfit1 } from "./operators.ts";
import { type Run, spend } from "./run.ts";
import {
  described,
  elementsOf,
  failure,
  fromDocument,
  isList,
  isNumeric,
  type JqValue,
  preview,
  printJq,
} from "./values.ts";

/** Functions by `name/arguments`. */
export const textBuiltins: Builtins = {
  "utf8bytelength/0": plain((input) => Buffer.byteLength(textOf("utf8bytelength", input))),
  "startswith/1": ofTwo("startswith", (text, part) => text.startsWith(part)),
  "endswith/1": ofTwo("endswith", (text, part) => text.endsWith(part)),
  "ltrimstr/1": ofTwo("ltrimstr", (text, part) => (text.startsWith(part) ? text.slice(part.length) : text)),
  "rtrimstr/1": ofTwo("rtrimstr", (text, part) =>
    part !== "" && text.endsWith(part) ? text.slice(0, -part.length) : text,
  ),
  "trim/0": plain((input) => textOf("trim", input).trim()),
  "ltrim/0": plain((input) => textOf("ltrim", input).trimStart()),
  "rtrim/0": plain((input) => textOf("rtrim", input).trimEnd()),
  "ascii_downcase/0": plain((input) =>
    textOf("ascii_downcase", input).replace(/[A-Z]+/g, (found) => found.toLowerCase()),
  ),
  "ascii_upcase/0": plain((input) =>
    textOf("ascii_upcase", input).replace(/[a-z]+/g, (found) => found.toUpperCase()),
  ),
  "explode/0": plain((input) =>
    Array.from(textOf("explode", input), (character) => character.codePointAt(0) ?? 0),
  ),
  "implode/0": plain((input) => {
    if (!isList(input) || !input.every(isNumeric)) throw unfit("implode", input);
    return input.map((code) => character(Number(code))).join("");
  }),
  "split/1": plain((input, [separator = null]) => {
    if (typeof separator !== "string") throw failure('split cannot be applied to: string ("")');
    return parts(textOf("split", input), separator);
  }),
  "join/1": plain(join),
  "tojson/0": plain(printJq),
  "fromjson/0": plain((input) => {
    const text = textOf("fromjson", input);
    spend(text.length >> 1);
    const parsed = parseJsonText(text);
    if ("value" in parsed) return fromDocument(parsed.value);
    throw failure(
      `fromjson cannot be applied to ${preview(input)}: ${parsed.reason.replace("parse as json: ", "")}`,
    );
  }),
  "format/1": plain((input, [name = null]) => {
    if (typeof name !== "string") throw unfit("format", name);
    if (!isFormat(`@${name}`)) throw failure(`format not defined: @${name}`);
    return formatted(`@${name}`, input);
  }),
};

function ofTwo(name: string, work: (text: string, part: string) => JqValue) {
  return plain((input, [part = null]) => {
    if (typeof input !== "string" || typeof part !== "string") throw unfit1(name, input, part);
    return work(input, part);
  });
}

/** Returns the input of the function `name`, which must be a text. */
export function textOf(name: string, input: JqValue): string {
  if (typeof input !== "string") throw unfit(name, input);
  return input;
}

function character(code: number): string {
  const whole = Math.trunc(code);
  const isScalar = whole >= 0 && whole <= 0x10ffff && (whole < 0xd800 || whole > 0xdfff);
  return isScalar ? String.fromCodePoint(whole) : "\ufffd";
}

function join(input: JqValue, [separator = null]: readonly JqValue[], run: Run): JqValue {
  const elements = elementsOf(input);
  if (elements === undefined || (elements.length > 1 && typeof separator !== "string"))
    throw unfit1("join", input, separator);
  run.step(elements.length);
  const between = typeof separator === "string" ? separator : "";
  return elements.reduce<string>((text, each, index) => {
    if (typeof each === "object" && each !== null)
      throw failure(`join cannot be applied to an array including: ${described(each)}`);
    const own = typeof each === "string" ? each : each === null ? "" : printJq(each);
    return index === 0 ? own : joined(text, between + own);
  }, "");
}
