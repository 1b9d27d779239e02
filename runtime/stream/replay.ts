// A stream run a second time for one client: from where it left, through a pipeline of its own, to it alone.

import type { InputContext, Output, StreamSource } from "../component/component.ts";
import { Ordering } from "../concurrency/ordering.ts";
import { Semaphore } from "../concurrency/semaphore.ts";
import { GatewayError } from "../errors.ts";
import type { Batch } from "../message/message.ts";
import type { PartPosition, Positions } from "../message/positions.ts";
import { createDelivery } from "./delivery.ts";
import { createCounters } from "./stream-state.ts";

/** Where dead letters of a replay go: they were put aside when the message came first. */
const nowhere: Output = {
  async start() {},
  write: async () => ({}),
  async close() {},
};

/** A replay that runs. */
export interface Replay {
  /** As `InputPositions.undelivered`, for the client. */
  undelivered(isHanded?: (position: PartPosition) => boolean): Positions | undefined;
  /** Where the source ended when asked. */
  ends(): Promise<Positions>;
  /** As `ReplayInput.collects`. */
  readonly collects: boolean;
  close(): Promise<void>;
}

/** The client of a replay. */
export interface ReplayClient {
  /** Aborted when it has left. */
  readonly signal: AbortSignal;
  /** Resolves when it has the messages. */
  write(batch: Batch): Promise<void>;
  /** Called whenever reading has come on. */
  onProgress(): void;
}

/**
 * Begins to read from there on. What was written to the client counts as delivered; nothing is acknowledged.
 * Rejects with a `GatewayError` when the source cannot be read.
 */
export async function startReplay(
  source: StreamSource,
  from: Positions,
  client: ReplayClient,
): Promise<Replay> {
  const { pipeline = [], threads, errorHandling, input: original } = source.createAgain();
  const input = original.positions?.from(from);
  if (input === undefined) throw new GatewayError(502, "The source cannot be read again");
  const closing = new AbortController();
  const signal = AbortSignal.any([client.signal, closing.signal]);
  const context = source.contextOf("replay", signal);
  const strategy = errorHandling?.strategy ?? "reject";
  const deliver = createDelivery(
    {
      stream: source.stream,
      pipeline,
      turns: threads === undefined ? undefined : new Semaphore(threads),
      ordering: threads === 1 ? undefined : new Ordering(),
      output: outputTo(client),
      errorHandling: { strategy, output: nowhere },
    },
    context,
    createCounters(),
  );
  const inputContext: InputContext = {
    ...context,
    async deliver(batch) {
      try {
        return await deliver(batch, input);
      } finally {
        // Only after that has the input noted that it was delivered.
        setImmediate(() => client.onProgress());
      }
    },
    beginBlockage: () => () => undefined,
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
    collects: input.collects === true,
    async close() {
      closing.abort();
      await input.close();
      await Promise.all(pipeline.map((processor) => processor.close?.()));
    },
  };
}

function outputTo(client: ReplayClient): Output {
  return {
    async start() {},
    async write(batch) {
      await client.write(batch);
      return {};
    },
    async close() {},
  };
}
