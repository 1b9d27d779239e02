// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { MappingFunction } from "../../processors/functions.ts";

/**
 * Builds a new document from each message with a mapping script; `root` starts empty, `deleted()` drops the message.
 */
export type MappingOptions = MappingFunction;
