// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Output } from "../../../component/component.ts";

/**
 * Rejects messages that a processor failed on, with the error, and sends all others to its child output.
 */
export type RejectErroredOutputOptions = Output;
