// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Turns messages of MessagePack into JSON, or JSON into MessagePack.
 */
export interface MsgpackOptions {
  /**
   * `to_json` reads MessagePack, `from_json` writes it.
   */
  readonly operator: "to_json" | "from_json";
}
