// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Output } from "../../../component/component.ts";

/**
 * Tries outputs in order. A message that one output fails on goes to the next, with the reason as metadata `fallback_error`. So do messages that a processor failed on.
 */
export type FallbackOutputOptions = readonly Output[];
