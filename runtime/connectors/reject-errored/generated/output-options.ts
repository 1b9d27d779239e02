// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Output } from "../../../component/component.ts";

/**
 * Refuses messages that a processor failed on, with the failure, and hands all others to the output it holds.
 */
export type RejectErroredOutputOptions = Output;
