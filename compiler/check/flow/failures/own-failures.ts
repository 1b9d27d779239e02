// Components that fail on messages by themselves, whatever their scripts do.

import type { ComponentNode } from "../../../parse/document/api.ts";
import { findField } from "../../document/components.ts";
import type { StreamFailure } from "./stream-failure.ts";

/** Processors that only their scripts, or the processors inside them, can fail in. */
const harmless: ReadonlySet<string> = new Set([
  "bounds_check",
  "branch",
  "catch",
  "for_each",
  "group_by",
  "group_by_value",
  "insert_part",
  "log",
  "mapping",
  "metric",
  "mutation",
  "noop",
  "parallel",
  "processors",
  "rate_limit",
  "retry",
  "select_parts",
  "split",
  "switch",
  "sync_response",
  "try",
  "while",
  "workflow",
]);

const reasons: Readonly<Record<string, string>> = {
  archive: "the messages may not fit the format",
  cache: "the cache may not answer, or not hold the key",
  cached: "the cache may not answer",
  compress: "the message may not be compressible",
  decompress: "the message may not be compressed so",
  dedupe: "the cache may not answer",
  http: "the request may fail",
  json_schema: "the message may not fit the schema",
  sleep: "the text may be no duration",
  unarchive: "the message may not be of the format",
};

/** The processors that something is known of here; others may fail on anything. */
export const knownFailures: ReadonlySet<string> = new Set([...harmless, ...Object.keys(reasons)]);

/** What a processor can fail on by itself. One that nothing is known of may fail on anything. */
export function ownFailures(component: ComponentNode): readonly StreamFailure[] {
  const { name, nameSpan } = component;
  if (harmless.has(name) || dropsWhatFails(component)) return [];
  return [{ component, span: nameSpan, reason: reasons[name] ?? `\`${name}\` may fail` }];
}

/** Without its cache `dedupe` flags messages, unless it is told to drop them. */
function dropsWhatFails({ name, config }: ComponentNode): boolean {
  const drops = findField(config, "drop_on_err")?.value;
  return name === "dedupe" && drops?.kind === "Literal" && drops.value === true;
}
