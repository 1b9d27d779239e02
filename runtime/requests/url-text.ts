// Builds partly computed addresses (RFC 3986, section 3): the position of a value determines which part of the address it may affect.

import { type Text, textOf } from "../component/text.ts";
import type { Batch } from "../message/message.ts";
import { unmakeable } from "./request.ts";

/**
 * A part of an address. Text comes from the document or the operator and is used unchanged. For a value that comes
 * from a message or a request, the property states how the document has already encoded it.
 */
export type UrlPart<T extends Text = Text> =
  | T
  /** Not encoded: it is encoded here. */
  | { readonly value: T }
  /** Encoded as part of a query (`escape_url_query`), which is safe everywhere. */
  | { readonly queryEscaped: T }
  /** Encoded as a segment of a path (`escape_url_path`): the separators of queries are not encoded. */
  | { readonly pathEscaped: T }
  /** The path of a request, which keeps its slashes and its encoding. */
  | { readonly requestPath: T };

/**
 * Returns the address that consists of `parts`. In a path a value is one segment, in a query one name or value. A
 * value before the path determines the server, which only `isHostOpen` allows; it is then used unchanged. Throws a
 * `GatewayError` (422) if it is not allowed, and if a value would be a dot segment (RFC 3986, section 5.2.4) or an
 * empty one: `/orders/` is not the address of an order. So does a lone surrogate, which UTF-8 cannot hold: different
 * values would have the same address.
 */
export function urlOf(parts: readonly UrlPart<string>[], isHostOpen?: boolean): string;
export function urlOf(parts: readonly UrlPart[], isHostOpen?: boolean): Text;
export function urlOf(parts: readonly UrlPart[], isHostOpen = false): Text {
  const isFixed = parts.every((part) => typeof (typeof part === "object" ? textIn(part) : part) === "string");
  if (isFixed) return compose(parts, isHostOpen, [], 0);
  return (batch, index) => compose(parts, isHostOpen, batch, index);
}

type ComputedPart = Exclude<UrlPart, Text>;

function textIn(part: ComputedPart): Text {
  if ("value" in part) return part.value;
  if ("queryEscaped" in part) return part.queryEscaped;
  return "pathEscaped" in part ? part.pathEscaped : part.requestPath;
}

function compose(parts: readonly UrlPart[], isHostOpen: boolean, batch: Batch, index: number): string {
  let text = "";
  const computed: Computed[] = [];
  for (const [place, part] of parts.entries()) {
    if (typeof part !== "object") {
      text += textOf(part, batch, index);
      continue;
    }
    const start = text.length;
    const value = textOf(textIn(part), batch, index);
    if (!value.isWellFormed()) throw unmakeable("a value of the message holds half a character");
    const isSegment = placeAfter(text) === "path" && !("requestPath" in part);
    if (placeAfter(text) === "authority" && !beginsPath(part, value, text)) {
      text += inAuthority(value, isHostOpen, place === parts.length - 1 ? undefined : text);
    } else text += encode(part, value, text);
    computed.push({ start, end: text.length, isSegment });
  }
  for (const each of computed) checkSegments(text, each);
  return text;
}

/** The position of a value in an address. */
interface Computed {
  readonly start: number;
  readonly end: number;
  /** Whether the value is a segment of the path, or part of one. */
  readonly isSegment: boolean;
}

type Place = "authority" | "path" | "query";

/** Returns the component of an address that follows `text`; a fragment, which is not sent, counts as query. */
function placeAfter(text: string): Place {
  const path = pathStart(text);
  if (path === -1) return "authority";
  return /[?#]/.test(text.slice(path)) ? "query" : "path";
}

/**
 * Returns the end of the authority; -1 if it has not ended. An empty one counts as open: the next segment would be
 * the server.
 */
function pathStart(text: string): number {
  const scheme = text.indexOf("://");
  if (scheme === -1) return -1;
  const end = text.slice(scheme + 3).search(/[/?#\\]/);
  return end <= 0 ? -1 : scheme + 3 + end;
}

/** Whether a value is the path of a request that follows the server. */
function beginsPath(part: ComputedPart, value: string, text: string): boolean {
  return "requestPath" in part && value.startsWith("/") && /:\/\/[^/]/.test(text);
}

function encode(part: ComputedPart, value: string, text: string): string {
  const place = placeAfter(text);
  if ("value" in part) return encodeURIComponent(value);
  if ("requestPath" in part) return place !== "query" ? encodePath(value) : encodeURIComponent(value);
  const isSafe = place !== "query" || "queryEscaped" in part;
  return isSafe ? value : value.replace(/[&=+;#]/g, encodeURIComponent);
}

/**
 * Checks a value before the path. Spaces, controls and backslashes would be reinterpreted; credentials are not
 * allowed. If other parts follow, `before` is the text before the value, and the value must leave them in their place:
 * `a?` in `http://VALUE/b` would make the path a query. Only an address that begins with the value has a path of its
 * own.
 */
function inAuthority(value: string, isHostOpen: boolean, before: string | undefined): string {
  if (!isHostOpen) throw unmakeable("a value of the message would choose its server");
  if (before !== undefined && (before === "" ? /[?#]/ : /[/?#]/).test(value))
    throw unmakeable("a value of the message would lead to another path");
  const [authority = ""] = value.replace(/^(?:[a-z][a-z\d+.-]*:)?\/*/i, "").split(/[/?#]/, 1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\x00-\x20\x7f\\]/.test(value) || authority.includes("@")) {
    throw unmakeable("a value of the message is not an address");
  }
  return value;
}

/** Encodes a path; keeps the characters that a path may contain (RFC 3986, section 3.3). */
function encodePath(path: string): string {
  const others = /%(?![0-9A-Fa-f]{2})|[^\w.~!$&'()*+,;=:@/%-]+/g;
  return path.replace(others, encodeURIComponent);
}

/** Throws if a segment of the path that overlaps with a value is a dot segment, or an empty value. */
function checkSegments(text: string, { start, end, isSegment }: Computed): void {
  const path = pathStart(text);
  const query = text.slice(path).search(/[?#]/);
  const pathEnd = query === -1 ? text.length : path + query;
  if (path === -1 || start > pathEnd || end <= path) return;
  const first = text.lastIndexOf("/", Math.max(start - 1, path)) + 1;
  const after = text.indexOf("/", end);
  const last = after === -1 || after > pathEnd ? pathEnd : after;
  const segments = text.slice(Math.max(first, path), last).split("/");
  if (segments.some((segment) => (isSegment && segment === "") || /^(?:\.|%2e){1,2}$/i.test(segment))) {
    throw unmakeable("a value of the message would lead to another path");
  }
}
