// Entity tags, with which clients name the state that they expect (RFC 9110, sections 8.8.3 and 13.1).

import { crypto } from "../process/builtins.ts";
import { RestAnswer } from "./answers.ts";
import type { OperationRequest } from "./operation.ts";

/** Returns the entity tag of bytes, including the quotes. */
export function tagOf(bytes: string | Uint8Array): string {
  return `"${crypto().hash("sha256", bytes, "base64url")}"`;
}

/** Whether a list of entity tags, from `If-Match` or `If-None-Match`, contains a tag (RFC 9110, section 13.1). */
export function matches(list: string, tag: string): boolean {
  if (list.trim() === "*") return true;
  return list.split(",").some((each) => each.trim().replace(/^W\//, "") === tag);
}

/** Returns a response with an `ETag`, or 304 if the client already has it, by `If-None-Match`. */
export function tagged({ header }: Pick<OperationRequest, "header">, answer: object): RestAnswer {
  const { body, headers, status } = answer instanceof RestAnswer ? answer : new RestAnswer(answer);
  const etag = headers.etag ?? (body === undefined ? undefined : tagOf(bytesOf(body)));
  if (etag === undefined) return new RestAnswer(body, headers, status);
  const known = header("if-none-match");
  const isKnown = known !== undefined && status === 200 && matches(known, etag);
  return isKnown
    ? new RestAnswer(undefined, { etag }, 304)
    : new RestAnswer(body, { ...headers, etag }, status);
}

function bytesOf(body: object | string): string | Uint8Array {
  return typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
}
