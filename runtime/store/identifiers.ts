// Identifiers of records: 24 hexadecimal digits, later ones greater than those of milliseconds before.

import { randomBytes } from "node:crypto";

/** A new identifier: eight digits are the Unix seconds, three the milliseconds, and 52 bits are random. */
export function createIdentifier(now: number = Date.now()): string {
  const seconds = Math.floor(now / 1000)
    .toString(16)
    .padStart(8, "0");
  const milliseconds = (now % 1000).toString(16).padStart(3, "0");
  return seconds + milliseconds + randomBytes(7).toString("hex").slice(1);
}

/** Whether a text has the form of an identifier. */
export function isIdentifier(text: string): boolean {
  return /^[0-9a-f]{24}$/.test(text);
}
