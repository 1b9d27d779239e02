// The `traceparent` header, with which programs tell each other the trace that they work for (W3C Trace Context,
// level 1).

import { randomBytes } from "node:crypto";
import type { Sampling } from "./settings.ts";

/** A span of a trace, as `traceparent` identifies it. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** Version 00, or a later version, which may have more fields after the flags. */
const pattern = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Parses a `traceparent`; `undefined` if it is not valid, or an id consists of zeros. */
export function parseTraceparent(text: string | undefined): TraceContext | undefined {
  const [, version, traceId = "", spanId = "", flags = "", more] = pattern.exec(text?.trim() ?? "") ?? [];
  if (version === undefined || (version === "00" && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Returns the `traceparent` of a span. */
export function printTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

/** Returns a new span below `parent`, or the first span of a new trace. */
export function beginSpan(parent: TraceContext | undefined, sampling: Sampling): TraceContext {
  const spanId = randomBytes(8).toString("hex");
  const traceId = parent?.traceId ?? randomBytes(16).toString("hex");
  const isSampled =
    parent !== undefined && sampling.followsParent ? parent.isSampled : isWithin(traceId, sampling.ratio);
  return { traceId, spanId, isSampled };
}

/** Whether a trace is sampled. All programs that sample by the trace id agree: its last seven bytes are random. */
function isWithin(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(18), 16) < ratio * 2 ** 56;
}
