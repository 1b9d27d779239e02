// The part of `node:buffer` that the project uses.

export { Buffer } from "./globals.ts";

/** Whether bytes are UTF-8. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false; // The decoder fails for no other reason.
  }
}
