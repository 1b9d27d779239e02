// What a compiled mapping throws when it fails on a message.

/** A mapping, interpolation or query failed; `message` is the reference engine's text. */
export class MappingError extends Error {
  override readonly name = "MappingError";
}
