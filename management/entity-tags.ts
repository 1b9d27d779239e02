// Entity tags, by which clients say what they believe to be there. RFC 9110, sections 8.8.3 and 13.1.

import { hash } from "node:crypto";

/** The entity tag of bytes, quotes included. */
export function tagOf(bytes: string | Uint8Array): string {
  return `"${hash("sha256", bytes, "base64url")}"`;
}

/** Whether a list of entity tags, as `If-Match` and `If-None-Match` have it, names that one. RFC 9110, 13.1. */
export function matches(list: string, tag: string): boolean {
  if (list.trim() === "*") return true;
  return list.split(",").some((each) => each.trim().replace(/^W\//, "") === tag);
}
