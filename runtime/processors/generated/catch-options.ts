// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";

/**
 * Runs processors on the messages that an earlier processor failed on, and clears the error flag of the results. An empty list only clears the flag.
 */
export type CatchOptions = readonly Processor[];
