// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Replaces the document of each message by what a JMESPath expression selects of it.
 */
export interface JmespathOptions {
  /**
   * The expression.
   */
  readonly query: string;
}
