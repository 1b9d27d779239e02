// Prints values of templates as Go's `fmt` does.

import { formatted } from "../../mapping/format.ts";
import {
  cut,
  padded,
  plain,
  timeLayout,
  type Verb,
  writtenFloat,
  writtenInteger,
  writtenText,
} from "../../mapping/format-verbs.ts";
import { formatTime } from "../../mapping/time-layouts.ts";
import { SourceNumber, Timestamp } from "../../message/value.ts";
import { quoteText } from "../../text/quoting.ts";
import { spend, spendOnText } from "../jq/run.ts";
import { Dict, Float, Int, List, Opaque, type TemplateValue, toDocument, typeName } from "./values.ts";

/** Returns a value as `%v` prints it. */
export function printed(value: TemplateValue): string {
  if (typeof value === "string") return value;
  return value instanceof SourceNumber ? value.toString() : writtenBy(plain, value);
}

/** Returns values as `print` does: with spaces between those of which neither is a text. */
export function printedTogether(values: readonly TemplateValue[]): string {
  return values
    .map((value, index) => {
      const isApart = index > 0 && !isText(value) && !isText(values[index - 1]);
      return (isApart ? " " : "") + printed(value);
    })
    .join("");
}

/** Returns `text` with its verbs replaced by the values. */
export function printedAs(text: string, values: readonly TemplateValue[]): string {
  const args = values.map((value) => value ?? null);
  const result = formatted<Exclude<TemplateValue, undefined>>(text, args, {
    write: writtenBy,
    describe: (value) => (value === null ? "<nil>" : `${typeName(value)}=${printed(value)}`),
    sizeOf: (value) => (value instanceof Int ? Number(value.value) : undefined),
  });
  spendOnText(result);
  return result;
}

function isText(value: TemplateValue): boolean {
  return typeof value === "string" || value instanceof SourceNumber;
}

function writtenBy(verb: Verb, value: TemplateValue): string {
  if (verb.letter === "T") return padded(cut(typeName(value), verb), verb);
  if (value === null || value === undefined)
    return verb.letter === "v" ? padded("<nil>", verb) : `%!${verb.letter}(<nil>)`;
  if (verb.letter === "v" && verb.sharp) return sourceForm(value, verb);
  const isSigned = verb.plus && verb.letter !== "v";
  return element(value, { ...verb, plus: isSigned });
}

/** Formats a value in a list with the verb of the list. */
function element(value: TemplateValue, verb: Verb): string {
  if (value === null || value === undefined) return "<nil>";
  return written(value, verb) ?? misfit(value, verb);
}

function misfit(value: TemplateValue, verb: Verb): string {
  return `%!${verb.letter}(${typeName(value)}=${element(value, { ...verb, letter: "v" })})`;
}

function written(value: Exclude<TemplateValue, null | undefined>, verb: Verb): string | undefined {
  spend(1);
  if (typeof value === "string") return writtenText(value, verb);
  if (value instanceof SourceNumber) return writtenText(value.toString(), verb);
  if (typeof value === "boolean") return "tv".includes(verb.letter) ? padded(String(value), verb) : undefined;
  if (value instanceof Int) return writtenInteger(value.value, verb);
  if (value instanceof Float) return writtenFloat(toDocument(value), value.value, verb);
  if (value instanceof List) return `[${value.items.map((each) => element(each, verb)).join(" ")}]`;
  if (value instanceof Dict) {
    const entries = value.entries().map(([key, each]) => `${element(key, verb)}:${element(each, verb)}`);
    return `map[${entries.join(" ")}]`;
  }
  if (value instanceof Timestamp) return writtenText(formatTime(value, timeLayout), verb);
  if (value instanceof Opaque) return writtenText(value.text(), verb);
  if ("sxXq".includes(verb.letter)) return writtenText(value, verb);
  return `[${Array.from(value, (byte) => writtenInteger(BigInt(byte), verb) ?? "").join(" ")}]`;
}

/** `%#v`: returns the value as source code. */
function sourceForm(value: TemplateValue, verb: Verb): string {
  spend(1);
  const inner = (each: TemplateValue): string => sourceForm(each, verb);
  if (value === null || value === undefined) return "interface {}(nil)";
  if (typeof value === "string" || value instanceof SourceNumber)
    return padded(quoteText(String(value)), verb);
  if (value instanceof List) {
    if (value.isNil) return `${typeName(value)}(nil)`;
    return `${typeName(value)}{${value.items.map(inner).join(", ")}}`;
  }
  if (value instanceof Dict) {
    const entries = value.entries().map(([key, each]) => `${inner(key)}:${inner(each)}`);
    return `${typeName(value)}{${entries.join(", ")}}`;
  }
  if (value instanceof Uint8Array)
    return `[]byte{${Array.from(value, (byte) => `0x${byte.toString(16)}`).join(", ")}}`;
  if (value instanceof Int && value.type.startsWith("u"))
    return padded(`0x${value.value.toString(16)}`, verb);
  return element(value, { ...verb, sharp: false, plus: false });
}
