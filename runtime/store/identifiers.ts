// Identifiers of records: 24 hexadecimal digits that increase with time, in milliseconds.

import { randomBytes } from "node:crypto";

/** Creates an identifier: eight digits of Unix seconds, three of milliseconds, and 52 random bits. */
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
