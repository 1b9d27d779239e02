// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";

/**
 * Runs processors in order on each message until one of them fails on it; a message that is flagged before or in here skips the rest.
 */
export type TryOptions = readonly Processor[];
