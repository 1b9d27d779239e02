// A second run of a stream for one client: from the position where the client left, through a pipeline of its own.

import type { InputContext, Output, StreamSource } from "../component/component.ts";
import { abort } from "../concurrency/abort.ts";
import { Ordering } from "../concurrency/ordering.ts";
import { Semaphore } from "../concurrency/semaphore.ts";
import { GatewayError } from "../errors.ts";
import type { Batch } from "../message/message.ts";
import type { PartPosition, Positions } from "../message/positions.ts";
import { Delivery } from "./delivery.ts";
import { createCounters } from "./stream-state.ts";

/** Drops the dead letters of a replay: they were written when the stream first read the messages. */
const nowhere: Output = {
  async start() {},
  write: async () => ({}),
  async close() {},
};

/** A running replay. */
export interface Replay {
  /** As `InputPositions.undelivered`, for the client. */
  undelivered(isHanded?: (position: PartPosition) => boolean): Positions | undefined;
  /** Returns the current ends of the source. */
  ends(): Promise<Positions>;
  /** As `ReplayInput.collects`. */
  readonly collects: boolean;
  close(): Promise<void>;
}

/** The client of a replay. */
export interface ReplayClient {
  /** Aborted when the client has left. */
  readonly signal: AbortSignal;
  /** Resolves when the client has the messages. */
  write(batch: Batch): Promise<void>;
  /** Called whenever reading has advanced. */
  onProgress(): void;
}

/**
 * Begins to read at a position. Messages written to the client count as delivered; nothing is acknowledged to the source.
 * Rejects with a `GatewayError` if the source cannot be read.
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
  const delivery = new Delivery(
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
        return await delivery.deliver(batch, input);
      } finally {
        // The input records the delivery only after this function has returned.
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
      abort(closing);
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
