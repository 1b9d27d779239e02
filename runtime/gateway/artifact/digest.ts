import { createHash } from "node:crypto";

/** The hex sha256 of bytes: the name of a blob. */
export function hexDigest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
