// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { MappingFunction } from "../../processors/functions.ts";

/**
 * Changes the document of each message with a mapping script; `root` starts as the document and `this` shows it as changed so far, `deleted()` drops the message.
 */
export type MutationOptions = MappingFunction;
