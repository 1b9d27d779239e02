// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../component/component.ts";

/**
 * Several processors as one.
 */
export type ProcessorsOptions = readonly Processor[];
