// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Converts MessagePack messages to JSON, or JSON to MessagePack.
 */
export interface MsgpackOptions {
  /**
   * `to_json` reads MessagePack, `from_json` writes it.
   */
  readonly operator: "to_json" | "from_json";
}
