// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";

/**
 * Runs processors on messages on which an earlier processor failed, and clears the error flag of the results. An empty list only clears the flag.
 */
export type CatchOptions = readonly Processor[];
