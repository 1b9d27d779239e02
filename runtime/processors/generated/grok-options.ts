// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Replaces each message by an object of what the first of some Grok expressions captures of it. A message of which none captures anything is flagged.
 */
export interface GrokOptions {
  /**
   * The expressions, tried in order. `%{INT:size:int}` captures a number under the name `size`.
   */
  readonly expressions: readonly string[];
  /**
   * Patterns by name, for expressions and other patterns.
   */
  readonly pattern_definitions?: Readonly<Record<string, string>>;
  /**
   * Capture only what an expression gives a name; otherwise patterns are captured under their own.
   */
  readonly named_captures_only?: boolean;
  /**
   * Let expressions name the standard patterns.
   */
  readonly use_default_patterns?: boolean;
  /**
   * Leave out what was captured as an empty text.
   */
  readonly remove_empty_values?: boolean;
}

/** What the fields hold that a document leaves out. */
export const grokDefaults = {
  named_captures_only: true,
  use_default_patterns: true,
  remove_empty_values: true
} as const satisfies Partial<GrokOptions>;
