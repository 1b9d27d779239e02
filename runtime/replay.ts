// A stream run a second time for one client: from where it left, through a pipeline of its own, to it alone.

import type { ComponentContext, InputContext, Output, ReplayInput } from "./component.ts";
import { createCounters, createDelivery } from "./delivery.ts";
import type { Position, Positions } from "./positions.ts";
import type { StreamParts } from "./stream-parts.ts";

/** Where dead letters of a replay go: they were put aside when the message came first. */
const nowhere: Output = {
  async start() {},
  write: async () => ({}),
  async close() {},
};

/** A replay that runs. */
export interface Replay {
  /** As `InputPositions.undelivered`, for the client. */
  undelivered(isHanded?: (position: Position) => boolean): Positions;
  /** Where the source ended when asked. */
  ends(): Promise<Positions>;
  close(): Promise<void>;
}

/** What a replay is made of. */
export interface ReplaySpec {
  readonly stream: string;
  readonly parts: StreamParts;
  readonly input: ReplayInput;
  /** The client. */
  readonly output: Output;
  /** Called whenever reading has come on. */
  readonly onProgress: () => void;
}

/**
 * Begins to read. What was written to the client counts as delivered; nothing is acknowledged to anybody. Rejects with a
 * `GatewayError` when the source cannot be read.
 */
export async function startReplay(spec: ReplaySpec, context: ComponentContext): Promise<Replay> {
  const { stream, parts, input, output, onProgress } = spec;
  const { pipeline = [], threads, errorHandling } = parts;
  const closing = new AbortController();
  const signal = AbortSignal.any([context.signal, closing.signal]);
  const strategy = errorHandling?.strategy ?? "reject";
  const deliver = createDelivery(
    { stream, pipeline, threads, output, errorHandling: { strategy, output: nowhere } },
    { ...context, signal },
    createCounters(),
  );
  const inputContext: InputContext = {
    ...context,
    signal,
    async deliver(batch) {
      try {
        return await deliver(batch);
      } finally {
        // Only after that has the input noted that it was delivered.
        setImmediate(onProgress);
      }
    },
    reportBlocked: () => undefined,
    ...(errorHandling?.max_attempts !== undefined && { maxAttempts: errorHandling.max_attempts }),
    giveUp: async () => undefined,
  };
  try {
    await input.start(inputContext);
  } catch (error) {
    await input.close();
    throw error;
  }
  return {
    undelivered: (isHanded) => input.undelivered(isHanded),
    ends: () => input.ends(),
    async close() {
      closing.abort();
      await input.close();
      await Promise.all(pipeline.map((processor) => processor.close?.()));
    },
  };
}
