// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";

/**
 * Combines several processors into one.
 */
export type ProcessorsOptions = readonly Processor[];
