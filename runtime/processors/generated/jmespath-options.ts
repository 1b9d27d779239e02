// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Replaces the document of each message with the result of a JMESPath expression.
 */
export interface JmespathOptions {
  /**
   * JMESPath expression.
   */
  readonly query: string;
}
