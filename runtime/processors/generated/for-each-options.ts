// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";

/**
 * Runs processors on each message of a batch separately, one message after the other. The results form one batch.
 */
export type ForEachOptions = readonly Processor[];
