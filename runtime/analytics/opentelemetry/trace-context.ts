// The `traceparent` header, with which programs tell each other the trace that they work for (W3C Trace Context,
// level 1).

import { randomFillSync } from "node:crypto";
import type { TraceParent } from "../../message/message.ts";
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

const noTrace = "00000000000000000000000000000000";
const noSpan = "0000000000000000";

/** Parses a `traceparent`; `undefined` if it is not valid, or an id consists of zeros. */
export function parseTraceparent(text: string | undefined): TraceContext | undefined {
  const [, version, traceId = "", spanId = "", flags = "", more] = pattern.exec(text?.trim() ?? "") ?? [];
  if (version === undefined || (version === "00" && more !== undefined)) return undefined;
  if (traceId === noTrace || spanId === noSpan) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Returns the `traceparent` of a span. */
export function printTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

/**
 * A span of this gateway, also as the trace of the messages of a request. Its id is made when something reads it:
 * nothing reads those of most unsampled spans.
 */
export class OwnSpan implements TraceContext, TraceParent {
  readonly traceId: string;
  readonly isSampled: boolean;
  readonly isInMetadata = true;
  #spanId: string | undefined = undefined;

  constructor(traceId: string, isSampled: boolean) {
    this.traceId = traceId;
    this.isSampled = isSampled;
  }

  get spanId(): string {
    this.#spanId ??= randomHex(8);
    return this.#spanId;
  }

  get traceparent(): string {
    return printTraceparent(this);
  }
}

/** Returns a new span below `parent`, or the first span of a new trace. */
export function beginSpan(parent: TraceContext | undefined, sampling: Sampling): OwnSpan {
  const traceId = parent?.traceId ?? randomHex(16);
  const isSampled =
    parent !== undefined && sampling.followsParent ? parent.isSampled : isWithin(traceId, sampling.ratio);
  return new OwnSpan(traceId, isSampled);
}

/** Whether a trace is sampled. All programs that sample by the trace id agree: its last seven bytes are random. */
function isWithin(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(18), 16) < ratio * 2 ** 56;
}

/** Random bytes for the ids of some hundred spans: each call for random bytes costs as much as the rest of a span. */
const poolSize = 4096;
let pool: Buffer | undefined;
let used = poolSize;

/** Returns random bytes as hexadecimal digits. Each process and each thread has a pool of its own. */
function randomHex(bytes: number): string {
  pool ??= Buffer.allocUnsafeSlow(poolSize);
  if (used + bytes > poolSize) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.toString("hex", used - bytes, used);
}
