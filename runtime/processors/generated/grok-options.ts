// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Replaces each message with an object of the values that the first matching Grok expression captures. If no expression captures anything, the message is flagged as failed.
 */
export interface GrokOptions {
  /**
   * Expressions, tried in order. `%{INT:size:int}` captures a number under the name `size`.
   */
  readonly expressions: readonly string[];
  /**
   * Named patterns, for use in expressions and other patterns.
   */
  readonly pattern_definitions?: Readonly<Record<string, string>>;
  /**
   * Captures only values that an expression names. Otherwise patterns are captured under their own names.
   */
  readonly named_captures_only?: boolean;
  /**
   * Allows expressions to use the standard patterns.
   */
  readonly use_default_patterns?: boolean;
  /**
   * Omits captured values that are empty.
   */
  readonly remove_empty_values?: boolean;
}

/** What the fields hold that a document leaves out. */
export const grokDefaults = {
  named_captures_only: true,
  use_default_patterns: true,
  remove_empty_values: true
} as const satisfies Partial<GrokOptions>;
