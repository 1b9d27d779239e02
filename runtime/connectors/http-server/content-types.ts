// The content of responses: joins several messages to one body, and recognises content that browsers only show or
// store, but never run.

import type { IncomingMessage } from "node:http";
import type { Batch, Message } from "../../message/message.ts";
import { printMultipart } from "../../message/multipart.ts";
import { memoised } from "../../text/memo.ts";

/** The body of a response. */
export interface AnswerContent {
  readonly type: string;
  readonly body: Uint8Array;
}

/**
 * Joins several messages as `multipart/form-data`, or as `multipart/mixed` or a JSON list if the request accepts only
 * these. `typeOf`: returns the content types of parts.
 */
export function joinMessages(
  messages: Batch,
  request: IncomingMessage,
  typeOf: (message: Message, index: number, isMixed: boolean) => string,
): AnswerContent {
  const accepts = acceptedTypes(request);
  const isJson = accepts("application/json") && messages.every((each) => each.document() !== undefined);
  if (isJson) return { type: "application/json", body: listOf(messages) };
  const isMixed = accepts("multipart/mixed");
  const parts = messages.map((message, index) => ({
    headers: [["Content-Type", typeOf(message, index, isMixed)] as const],
    content: message.bytes(),
  }));
  const { boundary, body } = printMultipart(parts);
  return { type: `${isMixed ? "multipart/mixed" : "multipart/form-data"}; boundary=${boundary}`, body };
}

/**
 * Returns a function that tells whether a request accepts a type but not the usual one (RFC 9110, section 12.5.1).
 * Weights matter only if they are 0.
 */
function acceptedTypes({ headers }: IncomingMessage): (type: string) => boolean {
  const ranges = (headers.accept ?? "")
    .toLowerCase()
    .split(",")
    .filter((range) => !/;\s*q=0(?:\.0{0,3})?\s*$/.test(range))
    .map((range) => range.split(";", 1)[0]?.trim() ?? "");
  const isUsual = ["*/*", "multipart/*", "multipart/form-data"].some((range) => ranges.includes(range));
  return (type) => !isUsual && ranges.includes(type);
}

/** Returns the messages as one JSON list. */
function listOf(messages: Batch): Uint8Array {
  const pieces = messages.flatMap((each, index) => [Buffer.from(index === 0 ? "[" : ","), each.bytes()]);
  return Buffer.concat([...pieces, Buffer.from("]")]);
}

/** A type, subtype and parameters without a comma, which would make it a list of types (RFC 9110, section 8.3.1). */
const singleType = /^([\w!#$&^.+-]+)\/([\w!#$&^.+-]+) ?(?:;[^,]*)?$/;

/** Types of documents whose scripts browsers run. */
const scripted = new Set(["html", "xhtml+xml", "xml", "xsl", "xsl+xml"]);

/** Returns whether content of a type runs no scripts when it is opened. Malformed types count as unsafe. */
export const isInert: (contentType: string) => boolean = /* @__PURE__ */ memoised(64, (contentType) => {
  const [, type = "", subtype = ""] = singleType.exec(contentType.toLowerCase()) ?? [];
  if (type === "" || type === "multipart") return false;
  return !scripted.has(subtype) && !subtype.endsWith("+xml");
});
