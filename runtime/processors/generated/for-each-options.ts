// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";

/**
 * Runs processors on each message of a batch by itself, one message after the other; what comes out is one batch.
 */
export type ForEachOptions = readonly Processor[];
