// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Keeps the messages of a batch that stand at some places; the others are dropped.
 */
export interface SelectPartsOptions {
  /**
   * Places of the messages to keep, in the order they are to have; 0 is the first, -1 the last. Without any, no message is kept.
   */
  readonly parts?: readonly number[];
}

/** What the fields hold that a document leaves out. */
export const selectPartsDefaults = {
  parts: []
} as const satisfies Partial<SelectPartsOptions>;
