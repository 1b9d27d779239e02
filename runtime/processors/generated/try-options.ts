// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";

/**
 * Runs processors in order on each message until one of them fails. A message that is already flagged as failed skips the remaining processors.
 */
export type TryOptions = readonly Processor[];
