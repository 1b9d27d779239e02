// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../component/text.ts";
import type { MappingFunction } from "../../processors/functions.ts";

/**
 * Writes a line to the log of the gateway for each message. The message passes unchanged.
 */
export interface LogOptions {
  /**
   * Log level. `FATAL` is written as `error`, `TRACE` and `ALL` as `debug`; `GW_LOG_LEVEL` determines which levels are written.
   */
  readonly level?: "FATAL" | "ERROR" | "WARN" | "INFO" | "DEBUG" | "TRACE" | "ALL";
  /**
   * Text of the log line.
   */
  readonly message?: Text;
  /**
   * Mapping that returns an object, which is added to the log line as `fields`.
   */
  readonly fields_mapping?: MappingFunction;
  /**
   * Texts that are added to the log line as `fields`. Deprecated in favor of `fields_mapping`.
   */
  readonly fields?: Readonly<Record<string, Text>>;
}

/** What the fields hold that a document leaves out. */
export const logDefaults = {
  level: "INFO",
  message: ""
} as const satisfies Partial<LogOptions>;
