// What the project uses of `node:buffer`.

export { Buffer } from "./globals.ts";

/** Whether bytes are UTF-8. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false; // That is the decoder's only failure.
  }
}
