// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Keeps the messages of a batch at the given indexes and drops the others.
 */
export interface SelectPartsOptions {
  /**
   * Indexes of the messages to keep, in the order of the result; 0 is the first, -1 the last. If it is empty, no message is kept.
   */
  readonly parts?: readonly number[];
}

/** What the fields hold that a document leaves out. */
export const selectPartsDefaults = {
  parts: []
} as const satisfies Partial<SelectPartsOptions>;
