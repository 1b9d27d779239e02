// Texts that have a form of their own: topics, subjects, addresses, headers. Which fields these are stands in
// their schemas, as `x-format`.

import { type Format, faultOf } from "../../../../schemas/formats/format.ts";
import { formats } from "../../../../schemas/formats/formats.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import type { SchemedValue } from "../values.ts";
import { shownText, type TextWithHoles, textWithHoles } from "../written-text.ts";

/** Reports a text that cannot have the form its field asks for, whatever comes into it later. */
export function checkFormats({ value, schema }: SchemedValue, report: Report): void {
  const keys = schema["x-key-format"];
  if (keys !== undefined && value.kind === "Object") {
    for (const { name, nameSpan } of value.fields) {
      if (name.includes("${")) continue; // keys do not come from the environment, which was said
      const fault = faultOf(formats[keys], name);
      if (fault !== undefined) reportFault(formats[keys], fault, name, nameSpan, report);
    }
  }
  const format = formatOf(schema);
  const text = format === undefined ? undefined : textWithHoles(value);
  if (format === undefined || text === undefined) return;
  // A list from one variable: its items are what has the form.
  const isList = value.kind === "Environment" && value.type === "list";
  const items = isList && text.length === 1 ? text[0].split(",").map((item) => item.trim()) : undefined;
  const fault = items?.map((item) => certainFault(format, [item])).find((each) => each !== undefined);
  const found = items === undefined && !isList ? certainFault(format, text) : fault;
  if (found !== undefined) reportFault(format, found, shownText(value), value.span, report);
}

function formatOf(schema: SchemedValue["schema"]): Format | undefined {
  const name = schema["x-format"] ?? schema.items?.["x-format"];
  return name === undefined ? undefined : formats[name];
}

function reportFault(
  { title, example }: Format,
  reason: string,
  value: string,
  span: SchemedValue["nameSpan"],
  report: Report,
): void {
  report("GW4080", span, { value, title, reason, example });
}

/**
 * What no filling of the holes can mend. Nothing at all counts as not given: whether that may be is said by
 * `minLength`.
 */
export function certainFault(format: Format, [first, ...others]: TextWithHoles): string | undefined {
  if (first === "" && others.length === 0) return undefined;
  if (others.length > mostHoles) return undefined;
  // References that cannot be read were reported.
  if ([first, ...others].some((fixed) => /\$\{|\$secret_/.test(fixed))) return undefined;
  let texts: readonly string[] = [first];
  for (const fixed of others) {
    const all = [...fillings, ...(format.fillings ?? [])];
    texts = texts.flatMap((text) => all.map((filling) => text + filling + fixed));
  }
  if (texts.some((text) => format.pattern.test(text))) return undefined;
  // Said of the text with ordinary fillings, if that shows what is wrong with what was written.
  return faultOf(format, [first, ...others].join("a"));
}

/** More would take too long to try out. */
const mostHoles = 3;

/**
 * Beginnings, ends and middles of topics, subjects and addresses: what can stand in a hole so that the fixed
 * text around it is right, if anything can.
 */
const fillings = [
  ..."a 1 / . a/ /a /a/a a. .a a: :1 a:1 //a // a@ @a ://a :// ://[ //[ ::1 [ [: ] ]: ]:1".split(" "),
  ...["http", "nats", "redis", "ws"].flatMap((scheme) => [
    scheme,
    `${scheme}:`,
    `${scheme}://`,
    `${scheme}://a`,
  ]),
  "",
];
