// `traceparent`, by which programs tell each other which trace they work for (W3C Trace Context, level 1).

import { randomBytes } from "node:crypto";
import type { Sampling } from "./settings.ts";

/** A place in a trace. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** Version 00, or a later one, which may have more after the flags. */
const pattern = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Reads a `traceparent`; `undefined` where it is not one, or names nothing. */
export function parseTraceparent(text: string | undefined): TraceContext | undefined {
  const [, version, traceId = "", spanId = "", flags = "", more] = pattern.exec(text?.trim() ?? "") ?? [];
  if (version === undefined || (version === "00" && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The text that tells others of a place. */
export function printTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

/** A new place below `parent`, or the first of a new trace. */
export function beginSpan(parent: TraceContext | undefined, sampling: Sampling): TraceContext {
  const spanId = randomBytes(8).toString("hex");
  const traceId = parent?.traceId ?? randomBytes(16).toString("hex");
  const isSampled =
    parent !== undefined && sampling.followsParent ? parent.isSampled : isWithin(traceId, sampling.ratio);
  return { traceId, spanId, isSampled };
}

/** The same answer for a trace in every program that samples by its id: its last seven bytes are random. */
function isWithin(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(18), 16) < ratio * 2 ** 56;
}
