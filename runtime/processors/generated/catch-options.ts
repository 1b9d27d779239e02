// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";

/**
 * Runs processors on the messages that a processor before failed on, and clears the flag of what comes out. An empty list clears it at once.
 */
export type CatchOptions = readonly Processor[];
