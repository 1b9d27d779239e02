// What a signed request is signed over (draft-cavage-http-signatures, section 2.3).

import type { IncomingMessage } from "node:http";
import { headerValues } from "../../../http/request-fields.ts";

/** Headers that say when a request was signed; pages cannot set the first. */
const dateHeaders = ["date", "x-aux-date"] as const;

/** `Mon, 02 Jan 2006 15:04:05 GMT`. */
const datePattern = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} (?:GMT|UTC)$/;

/** The text; `undefined` where a covered header is not there, or is of a kind that this form does not have. */
export function signedText(request: IncomingMessage, covered: readonly string[]): string | undefined {
  const lines: string[] = [];
  for (const name of covered) {
    const value = name === "(request-target)" ? targetOf(request) : headerOf(request, name);
    if (value === undefined) return undefined;
    lines.push(`${name}: ${value}`);
  }
  return lines.join("\n");
}

/** When the request was signed, by `Date.now()`; `undefined` where nothing covered says so. */
export function signedAt(request: IncomingMessage, covered: readonly string[]): number | undefined {
  const name = dateHeaders.find((each) => covered.includes(each));
  const text = name === undefined ? undefined : headerOf(request, name);
  const time = text !== undefined && datePattern.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

function targetOf({ method = "", url = "" }: IncomingMessage): string {
  return `${method.toLowerCase()} ${url}`;
}

/** Values of a name that is there several times are joined, as everybody who reads it afterwards does. */
function headerOf(request: IncomingMessage, name: string): string | undefined {
  const values = name.startsWith("(") ? [] : headerValues(request, name);
  return values.length === 0 ? undefined : values.join(", ");
}
