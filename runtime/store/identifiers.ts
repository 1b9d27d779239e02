// Identifiers of records: 24 hexadecimal digits, later ones greater than those of seconds before.

import { randomBytes } from "node:crypto";

/** A new identifier; its first eight digits are the Unix seconds, the rest is random. */
export function createIdentifier(now: number = Date.now()): string {
  const seconds = Math.floor(now / 1000)
    .toString(16)
    .padStart(8, "0");
  return seconds + randomBytes(8).toString("hex");
}

/** Whether a text has the form of an identifier. */
export function isIdentifier(text: string): boolean {
  return /^[0-9a-f]{24}$/.test(text);
}
