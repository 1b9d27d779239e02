// `log`: writes a line to the gateway's log for each message.

import type { Processor } from "../component/component.ts";
import { textOf } from "../component/text.ts";
import type { Batch } from "../message/message.ts";
import { isObject } from "../message/value.ts";
import type { LogFields, Logger } from "../process/log.ts";
import { decodeUtf8 } from "../text/utf8.ts";
import { logFailure } from "./functions.ts";
import { type LogOptions, logDefaults } from "./generated/log-options.ts";

/**
 * The gateway's level for each level of the reference engine. The gateway has no `FATAL`, and no level below `DEBUG`.
 */
const levels = {
  FATAL: "error",
  ERROR: "error",
  WARN: "warn",
  INFO: "info",
  DEBUG: "debug",
  TRACE: "debug",
  ALL: "debug",
} as const satisfies Record<NonNullable<LogOptions["level"]>, keyof Logger>;

/**
 * Messages pass unchanged, even if their line cannot be computed. Such a failure is logged; the reason only at debug
 * level, because it may quote the message.
 */
export function logMessages(options: LogOptions): Processor {
  const level = levels[options.level ?? logDefaults.level];
  return {
    process(batch, context) {
      for (const index of batch.keys()) {
        try {
          context.log[level](textOf(options.message ?? "", batch, index), fieldsOf(options, batch, index));
        } catch (error) {
          logFailure(context, "the line of a log processor", error);
        }
      }
      return [batch];
    },
  };
}

/**
 * Returns the fields of a line: those named one by one, and those of the mapping. All of them are nested in `fields`,
 * so that names from a message cannot replace the line's own level, time or stream.
 */
function fieldsOf(
  { fields = {}, fields_mapping: mapping }: LogOptions,
  batch: Batch,
  index: number,
): LogFields | undefined {
  const named = Object.entries(fields).map(([name, text]) => [name, textOf(text, batch, index)] as const);
  const mapped = mapping?.(batch, index);
  if (named.length === 0 && mapped === undefined) return undefined;
  const document = mapped?.document();
  const isFields = mapped !== undefined && document !== undefined && isObject(document);
  const built = isFields ? JSON.parse(decodeUtf8(mapped.bytes())) : {};
  return { fields: { ...Object.fromEntries(named), ...built } };
}
