// What answers hold: several messages as one body, and which content a browser only shows or keeps, and does not run.

import type { IncomingMessage } from "node:http";
import type { Batch, Message } from "../../message/message.ts";
import { printMultipart } from "../../message/multipart.ts";
import { memoised } from "../../text/memo.ts";

/** The body of an answer. */
export interface AnswerContent {
  readonly type: string;
  readonly body: Uint8Array;
}

/**
 * Several messages as `multipart/form-data`, or as `multipart/mixed` or a JSON list where the request accepts only these.
 * `typeOf` gives the types of parts.
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
 * Whether a request asks for a type, and not for the usual one (RFC 9110, section 12.5.1). Weights are read as far as they
 * refuse.
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

/** The messages as one list. */
function listOf(messages: Batch): Uint8Array {
  const pieces = messages.flatMap((each, index) => [Buffer.from(index === 0 ? "[" : ","), each.bytes()]);
  return Buffer.concat([...pieces, Buffer.from("]")]);
}

/** A type, subtype and parameters without a comma, which would make a list of several types (RFC 9110, section 8.3.1). */
const singleType = /^([\w!#$&^.+-]+)\/([\w!#$&^.+-]+) ?(?:;[^,]*)?$/;

/** Types of documents that browsers run scripts of, or that are made of parts with types of their own. */
const scripted = new Set(["html", "xhtml+xml", "xml", "xsl", "xsl+xml"]);

/** Whether content of that type runs no scripts where it is opened. Such a type is also spelled as one. */
export const isInert: (contentType: string) => boolean = /* @__PURE__ */ memoised(64, (contentType) => {
  const [, type = "", subtype = ""] = singleType.exec(contentType.toLowerCase()) ?? [];
  if (type === "" || type === "multipart") return false;
  return !scripted.has(subtype) && !subtype.endsWith("+xml");
});
