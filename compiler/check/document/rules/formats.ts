// Rules about single values: their formats and requirements.

import { allowsEveryHost } from "../../../../runtime/text/origin-pattern.ts";
import { portFaults } from "../../../../schemas/formats/addresses.ts";
import { type Format, faultOf } from "../../../../schemas/formats/format.ts";
import { formats } from "../../../../schemas/formats/formats.ts";
import type { Schema } from "../../../../schemas/schema.ts";
import { findPlaceholder, isVariablePlaceholder, withReferences } from "../../../diagnostics/placeholders.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { nearest } from "../../../diagnostics/suggest.ts";
import type { ApiModel } from "../../../model/api.ts";
import { declaredOption, optionsNamed } from "../../../model/options.ts";
import type { FieldNode, ObjectField } from "../../../trees/api.ts";
import { findText } from "../../../trees/document.ts";
import { findNamedField, literalText } from "../../../trees/fields.ts";
import { whyNotRe2 } from "../../regexp.ts";
import type { SchemedValue } from "../values.ts";
import { correctionOf, shownText, type TextWithHoles, textWithHoles } from "../written-text.ts";
import { reportVariablesInPattern } from "./request-variables.ts";

/** Reports an address of the contact that is no e-mail address. */
export function checkContact({ description }: ApiModel, report: Report): void {
  const { email } = description.contact;
  const text = findText(email);
  if (email === undefined || text === undefined || /^[^\s@]+@[^\s@]+$|\$\{/.test(text)) return;
  report("GW1046", email.span, { field: "email", rule: "must have the format `email`", choices: [] });
}

/** Reports a text that cannot match the format of its field, whatever its variable parts become. */
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
  const isList = value.kind === "Environment" && value.type === "list";
  const found = isList ? certainItemFault(format, text) : certainFault(format, text);
  if (found !== undefined) reportFault(format, found, shownText(value), value.span, report);
}

/**
 * Returns a fault of list items that no filling can repair. Each item has the format; a filling may contain several
 * items.
 */
function certainItemFault(format: Format, text: TextWithHoles): string | undefined {
  const items = text.join("\0").split(",");
  const faults = items.map((item) => {
    const [first = "", ...others] = item.trim().split("\0");
    const text: TextWithHoles = [first, ...others];
    const end = others.findIndex((_, at) => !isInUser(text, at));
    return certainFault(format, end === -1 ? text : [first, ...others.slice(0, end), ""]);
  });
  return faults.find((fault) => fault !== undefined);
}

/** Whether a hole is in the user or the password of an address, which do not extend beyond its `@`. */
function isInUser([first, ...others]: TextWithHoles, hole: number): boolean {
  const before = first + others.slice(0, hole).join("");
  return /:\/\/[^/?#@]*$/.test(before) && /^[^/?#@]*@/.test(others.slice(hole).join(""));
}

function formatOf(schema: SchemedValue["schema"]): Format | undefined {
  const name = schema["x-format"] ?? schema.items?.["x-format"];
  return name === undefined ? undefined : formats[name];
}

export function reportFault(
  format: Format,
  reason: string,
  value: string,
  span: SchemedValue["nameSpan"],
  report: Report,
): void {
  const { title, example } = format;
  const isValid = (text: string) => faultOf(format, text) === undefined;
  const withVariables = withReferences(value);
  const referenced = withVariables === value ? undefined : withVariables;
  const isPort = portFaults.some(([, each]) => each === reason);
  const meant = lackingDollar.test(value)
    ? value.replace(lackingDollar, (query) => `$${query}`)
    : (referenced ??
      correctionOf(value, example, isValid) ??
      (isPort ? withPortOf(example, value, isValid) : undefined));
  // An example of another host does not help to choose a port.
  const shown = meant ?? (isPort ? undefined : example);
  report("GW4080", span, { value, title, reason, example: shown, isOther: meant === undefined });
}

/** Returns an address with the port of an example of one address; `undefined` if that is no valid address. */
function withPortOf(
  example: string,
  address: string,
  isValid: (text: string) => boolean,
): string | undefined {
  const [, port] = /^[^,]*:(\d+)(?:[/?#][^,]*)?$/.exec(example) ?? [];
  if (port === undefined || /[$\s…]/.test(address)) return undefined;
  const corrected = address.replace(/:(?!\/\/)[^@/:\]]*(?=[/?#]|$)/, `:${port}`);
  return isValid(corrected) ? corrected : undefined;
}

/**
 * Returns a fault that no filling of the holes can repair. An empty text counts as absent: `minLength` decides whether
 * it is allowed.
 */
export function certainFault(format: Format, [first, ...others]: TextWithHoles): string | undefined {
  if (first === "" && others.length === 0) return undefined;
  if (others.length > mostHoles) return undefined;
  // References that cannot be parsed are already reported.
  if ([first, ...others].some((fixed) => /\$\{|\$secret_/.test(fixed))) return undefined;
  const all = others.length === 0 ? [] : [...fillings, ...(format.fillings ?? []), format.example];
  let texts: readonly string[] = [first];
  for (const [at, fixed] of others.entries()) {
    const isUser = isInUser([first, ...others], at);
    const fitting = isUser ? all.filter((filling) => !/[/?#@]/.test(filling)) : all;
    texts = texts.flatMap((text) => fitting.map((filling) => text + filling + fixed));
  }
  if (texts.some((text) => format.pattern.test(text))) return undefined;
  // Describe the fault of the text with ordinary fillings, if these show what is wrong with the written text.
  return faultOf(format, [first, ...others].join("a"));
}

/** The largest number of holes: more would take too long to try. */
const mostHoles = 3;

/**
 * Beginnings, ends and middles of topics, subjects and addresses: if any filling makes the fixed text around a hole
 * valid, one of these does.
 */
const fillings = [
  ..."a 1 / . a/ /a /a/a a. .a a: :1 a:1 //a // a@ @a ://a :// ://[ //[ ::1 [ [: ] ]: ]:1".split(" "),
  "",
];

/** Reports a pattern that its regular expression engine rejects; the library of the engine decides. */
export function checkRegexps({ name, value, schema }: SchemedValue, report: Report): void {
  if (schema["x-regexp"] === "re2") reportVariablesInPattern(value, name, report);
  const pattern = schema["x-regexp"] === "re2" ? literalText(value) : undefined;
  if (pattern === undefined || whyNotRe2(pattern) === undefined) return;
  report("GW4015", value.span, { field: name, value: pattern, expected: "a regular expression of RE2" });
}

/** Reports each field of an object that needs a different value of a sibling field. */
export function checkNeededValues({ value, schema }: SchemedValue, report: Report): void {
  if (value.kind !== "Object") return;
  for (const { name, nameSpan } of value.fields) {
    const needs = Object.entries(schema.properties?.[name]?.["x-only-with"] ?? {});
    const wrong = needs.find(([other, needed]) => differs(value, schema, other, needed));
    if (wrong === undefined) continue;
    const [other, needed] = wrong;
    const written = findNamedField(value, other)?.value.span;
    report("GW4185", nameSpan, { field: name, other, needed, written });
  }
}

/** Values that are known only when the gateway starts are checked then. */
function differs(owner: ObjectField, schema: Schema, name: string, needed: unknown): boolean {
  const option = declaredOption({ value: owner, schema }, name);
  const isKnown = option?.value === undefined || option.value.kind === "Literal";
  return isKnown && option?.known !== needed;
}

/**
 * Reports a text that is a placeholder of a template engine or a shell and would stay unchanged, and `${this.id}`,
 * which does not read any message.
 */
export function checkPlaceholders({ value, schema }: SchemedValue, report: Report): void {
  if (schema["x-templated"] === true) return;
  const text = literalText(value)?.trim() ?? "";
  // Most texts have none of the signs of a placeholder.
  if (value.kind !== "Environment" && !/^this\.|[$<{%]|env\(/.test(text)) return;
  if (schema["x-text"] === "interpolated" && /^this(?:\.\w+)+$/.test(text))
    report("GW4028", value.span, { text, query: text });
  // `${{ secrets.BROKER }}` is the text `${ secrets.BROKER }` here.
  const [, ofActions] = /^\$\{ ?((?:secrets|vars|env)\.\w+) ?\}$/.exec(text) ?? [];
  if (ofActions !== undefined && value.kind === "Literal")
    report("GW4028", value.span, { text: `\${{ ${ofActions} }}` });
  const [inShell, query] = /^\$\(((?:this|json|meta|content)\b[^()]*(?:\([^()]*\))?)\)$/.exec(text) ?? [];
  if (inShell !== undefined) report("GW4028", value.span, { text, query });
  if (value.kind === "Environment")
    for (const part of value.parts)
      if (part.kind === "Variable" && /^(?:this|root)\./.test(part.name))
        report("GW4028", part.span, { text: `\${${part.name}}`, query: part.name, isVariable: true });
  const [lacking, marked, read = marked] = lackingDollar.exec(text) ?? [];
  if (lacking !== undefined && value.kind === "Literal")
    report("GW4028", value.span, { text: lacking, query: read?.trim() });
  if (schema["x-text"] === "interpolated") {
    const [, segment, name = ""] = /^https?:\/\/[^?#]*\/(\{(\w+)\})(?=[/?#]|$)/.exec(text) ?? [];
    if (segment !== undefined) report("GW4028", value.span, { text: segment, query: `this.${name}` });
  }
  const [, inner = ""] = /^(?:\{\{([^{}]*)\}\}|<%=([^%]*)%>)$/.exec(text) ?? [];
  if (inner.trim() !== "") report("GW4028", value.span, { text });
  else reportForeignVariable({ value, schema }, text, report);
}

/** Reports `$NAME` or `%NAME%` as a whole text, and such placeholders inside an address, a topic or another name of the network. */
function reportForeignVariable(
  { value, schema }: Pick<SchemedValue, "value" | "schema">,
  text: string,
  report: Report,
): void {
  if (schema["x-secret"] || schema["x-regexp"] !== undefined) return;
  const isPlace = networkName.test(schema["x-format"] ?? schema.items?.["x-format"] ?? "");
  const written = isPlace ? findPlaceholder(text) : isVariablePlaceholder(text) ? text : undefined;
  if (written !== undefined) report("GW4028", value.span, { text: written });
}

/** Formats of what a broker or a server is found by. Other texts, such as bodies, may contain placeholders for others. */
const networkName = /(?:address(?:es)?|url|uri|topic|selection|filter|subject|exchange|node|queue|bucket)$/;

/** A query that stays plain text because it lacks `$`, or `$!`, before it. */
const lackingDollar =
  /(?<![$\w{])\{(?:!([^{}]*)|\s*(this\.[^{}]*|(?:json|meta|metadata|content)\([^{}()]*\)|@\w+))\}/;

const corsOptions = optionsNamed(["allowedOrigins", "allowedMethods", "allowCredentials"]);

/**
 * Reports allowed credentials together with any origin, origins that no browser sends, and misspelt methods.
 */
export function checkCors(block: SchemedValue, report: Report): void {
  const options = block.name === "cors" ? corsOptions(block) : undefined;
  if (options === undefined) return;
  const { allowedOrigins: origins, allowedMethods, allowCredentials: credentials } = options;
  for (const item of origins.items) {
    const origin = literalText(item) ?? "";
    const [, bare] = /^(https?:\/\/[^/]+)\//.exec(origin) ?? [];
    const details = { field: "allowedOrigins", value: origin, expected: "an origin, which has no path" };
    if (bare !== undefined) report("GW4015", item.span, { ...details, example: bare });
    // `https://*.example.com` is a pattern, and so may be what a variable holds.
    const fault = /[*$]/.test(origin) ? undefined : faultOf(formats.origin, origin);
    if (origin !== "" && fault !== undefined) reportFault(formats.origin, fault, origin, item.span, report);
  }
  for (const item of allowedMethods.items) {
    const method = literalText(item) ?? "";
    const near = nearest(method, methods);
    if (near.closest !== undefined && !methods.includes(method.toUpperCase()))
      report("GW4013", item.span, { field: "allowedMethods", value: method, allowed: methods, ...near });
  }
  if (credentials.nameSpan !== undefined && credentials.isTrue && holdsAny(origins.value))
    report("GW4192", credentials.nameSpan, {});
}

const methods: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

function holdsAny(origins: FieldNode | undefined): boolean {
  return origins?.kind === "List" && origins.items.some((item) => allowsEveryHost(literalText(item) ?? ""));
}

/**
 * Reports each header that is forwarded to the upstream although it can name a request other than the authorised one.
 */
export function checkOverridingHeaders({ name, value }: SchemedValue, report: Report): void {
  if (name !== "allowedOverrideHeaders" || value.kind !== "List") return;
  for (const item of value.items) {
    report("GW4320", item.span, { field: item.kind === "Literal" ? String(item.value) : "This field" });
  }
}
