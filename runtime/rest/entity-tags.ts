// Entity tags, with which clients name the state that they expect (RFC 9110, sections 8.8.3 and 13.1).

import { crypto } from "../process/builtins.ts";
import { refusal } from "./answers.ts";

/** Returns the entity tag of bytes, including the quotes. */
export function tagOf(bytes: string | Uint8Array): string {
  return `"${crypto().hash("sha256", bytes, "base64url")}"`;
}

/** Whether a list of entity tags, from `If-Match` or `If-None-Match`, contains a tag (RFC 9110, section 13.1). */
export function matches(list: string, tag: string): boolean {
  if (list.trim() === "*") return true;
  return list.split(",").some((each) => each.trim().replace(/^W\//, "") === tag);
}

/**
 * Throws a 412 if a request has `If-Match` without the tag of the stored record. `kind` names the record in the message.
 */
export function refuseUnlessMatching(ifMatch: string | undefined, record: string, kind: string): void {
  if (ifMatch !== undefined && !matches(ifMatch, tagOf(record)))
    throw refusal(412, `The ${kind} has been changed meanwhile.`);
}
