// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { MappingFunction } from "../../processors/functions.ts";

/**
 * Changes the document of each message with a mapping. `root` is initially the document and `this` shows it with the changes so far; `deleted()` drops the message.
 */
export type MutationOptions = MappingFunction;
