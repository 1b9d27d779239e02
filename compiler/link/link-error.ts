// Apart from the linker, so that whoever tells failures apart need not load esbuild.

/** A failure of esbuild on emitted text. It is never the user's, so callers treat it as internal. */
export class LinkError extends Error {
  override readonly name = "LinkError";
}
