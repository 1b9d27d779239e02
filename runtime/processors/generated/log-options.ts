// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../component/text.ts";
import type { MappingFunction } from "../../processors/functions.ts";

/**
 * Writes a line to the gateway's log for each message, which passes unchanged.
 */
export interface LogOptions {
  /**
   * Level of the line. `FATAL` is written as `error`, `TRACE` and `ALL` as `debug`; `GW_LOG_LEVEL` decides which levels are written.
   */
  readonly level?: "FATAL" | "ERROR" | "WARN" | "INFO" | "DEBUG" | "TRACE" | "ALL";
  /**
   * Text of the line.
   */
  readonly message?: Text;
  /**
   * Mapping that builds an object; it joins the line as `fields`.
   */
  readonly fields_mapping?: MappingFunction;
  /**
   * Texts that join the line as `fields`; `fields_mapping` came in their place.
   */
  readonly fields?: Readonly<Record<string, Text>>;
}

/** What the fields hold that a document leaves out. */
export const logDefaults = {
  level: "INFO",
  message: ""
} as const satisfies Partial<LogOptions>;
