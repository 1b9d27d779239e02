// Apart from the linker, so that code that distinguishes failures need not load esbuild.

import type { Message } from "esbuild";

/** A failure of esbuild on emitted text. It is never the user's, so callers treat it as internal. */
export class LinkError extends Error {
  override readonly name = "LinkError";
}

/** Throws a `LinkError` for what esbuild rejected with. */
export function failToLink(error: unknown): never {
  throw new LinkError(describeFailure(error), { cause: error });
}

function describeFailure(error: unknown): string {
  const errors = typeof error === "object" && error !== null && "errors" in error ? error.errors : undefined;
  if (!Array.isArray(errors)) return String(error);
  return errors
    .map((message: Message) => `${message.location?.file ?? ""} ${message.text}`.trim())
    .join("\n");
}
