// The functions that read and change metadata, write to the log, convert times, and encode texts.

import { formatTime } from "../../mapping/time-layouts.ts";
import { parseTime } from "../../mapping/time-parsing.ts";
import { escapeHtmlCharacters } from "../../message/json.ts";
import { quoteJson, sortKeys } from "../../message/json-print.ts";
import { Timestamp } from "../../message/value.ts";
import { base64Fault } from "../../text/base64.ts";
import { bytewise, fromBytewise } from "../../text/utf8.ts";
import { spend, spendOnText } from "../jq/run.ts";
import type { ProgramState } from "./state.ts";
import { type AwkValue, failure } from "./values.ts";

export function metadataGet({ message }: ProgramState, name: string): string {
  return bytewise(message.metadata(fromBytewise(name)) ?? "");
}

export function metadataSet({ message }: ProgramState, name: string, value: string): undefined {
  message.setMetadata(fromBytewise(name), fromBytewise(value));
}

const levels: ReadonlyMap<string, "debug" | "warn" | "error"> = /* @__PURE__ */ new Map([
  ["TRACE", "debug"],
  ["DEBUG", "debug"],
  ["WARN", "warn"],
  ["ERROR", "error"],
  ["FATAL", "error"],
]);

export function printLog({ message }: ProgramState, text: string, level: string): undefined {
  spend(100);
  message.log[levels.get(level) ?? "info"](fromBytewise(text).toWellFormed());
}

/** The layouts of dates without a format, in the order in which they are tried. */
const layouts = [
  "Mon Jan 02 15:04:05 -0700 2006",
  "Mon, 02 Jan 2006 15:04:05 -0700",
  "Mon, 02 Jan 2006 15:04:05 MST",
  "2006-01-02T15:04:05Z07:00",
  "02 Jan 06 15:04 MST",
  "02 Jan 06 15:04 -0700",
  "Mon, 2 Jan 2006 15:04:05 -0700",
  "2006-01-02T15:04:05MST",
  "2006-01-02T15:04:05",
  "2006-01-02 15:04:05",
  "2006-01-02T15:04:05Z0700",
  "2006-01-02",
];

function timeOf(date: string, format: string): Timestamp {
  spend((date.length >> 2) + (format.length >> 2) + 1);
  const text = fromBytewise(date);
  if (text === "") {
    const now = Date.now();
    return new Timestamp(BigInt(Math.floor(now / 1000)), (now % 1000) * 1_000_000, "UTC");
  }
  if (format !== "") return parseTime(fromBytewise(format), text);
  for (const layout of layouts) {
    try {
      return parseTime(layout, text);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "MappingError") throw error;
    }
  }
  throw failure(`failed to detect datetime format of: ${text}`);
}

export function timestampUnix(_: ProgramState, date: string, format: string): number {
  return Number(timeOf(date, format).seconds());
}

export function timestampUnixNano(_: ProgramState, date: string, format: string): number {
  const time = timeOf(date, format);
  return Number(BigInt.asIntN(64, time.seconds() * 1_000_000_000n + BigInt(time.nanoseconds())));
}

export function timestampFormat(_: ProgramState, seconds: number, format: string): string {
  return timeText(new Timestamp(BigInt(seconds), 0, "UTC"), format);
}

export function timestampFormatNano(_: ProgramState, nanoseconds: number, format: string): string {
  const all = BigInt(nanoseconds);
  const rest = ((all % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  return timeText(new Timestamp((all - rest) / 1_000_000_000n, Number(rest), "UTC"), format);
}

function timeText(time: Timestamp, format: string): string {
  spendOnText(format);
  return bytewise(formatTime(time, format === "" ? "2006-01-02T15:04:05Z07:00" : fromBytewise(format)));
}

export function createJsonObject(_: ProgramState, ...values: readonly string[]): string {
  const pairs = new Map<string, string>();
  for (let index = 0; index + 1 < values.length; index += 2)
    pairs.set(fromBytewise(values[index] ?? ""), jsonText(values[index + 1] ?? ""));
  const keys = sortKeys([...pairs.keys()]);
  return `{${keys.map((key) => `${jsonText(bytewise(key))}:${pairs.get(key)}`).join(",")}}`;
}

export function createJsonArray(_: ProgramState, ...values: readonly string[]): string {
  return `[${values.map(jsonText).join(",")}]`;
}

/** Returns a text as a JSON string, in bytes. */
function jsonText(text: string): string {
  spendOnText(text);
  return bytewise(escapeHtmlCharacters(quoteJson(fromBytewise(text))));
}

export function encodeBase64(_: ProgramState, text: string): string {
  spendOnText(text);
  return Buffer.from(text, "latin1").toString("base64");
}

export function decodeBase64(_: ProgramState, text: string): AwkValue {
  spendOnText(text);
  const place = base64Fault(text);
  if (place !== undefined) throw failure(`illegal base64 data at input byte ${place}`);
  return Buffer.from(text, "base64").toString("latin1");
}
