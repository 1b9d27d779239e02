// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { MappingFunction } from "../../processors/functions.ts";

/**
 * Creates a new document from each message with a mapping. `root` is initially empty; `deleted()` drops the message.
 */
export type MappingOptions = MappingFunction;
