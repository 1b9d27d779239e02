import type { Buffer, Delivered, InputContext } from "../component/component.ts";
import { notConnected } from "../component/persistence.ts";
import { createRedelivery } from "../component/redelivery.ts";
import { abort } from "../concurrency/abort.ts";
import { Semaphore } from "../concurrency/semaphore.ts";
import { GatewayError, toGatewayError } from "../errors.ts";
import { describeFailure } from "../failures/description.ts";
import type { Batch } from "../message/message.ts";
import { Batcher } from "../processors/around/batching.ts";
import { type MemoryBufferOptions, memoryBufferDefaults } from "./generated/memory-buffer-options.ts";

/** The maximum number of concurrent deliveries. */
const inFlightLimit = 64;

/**
 * Keeps batches in memory until they are delivered, up to `limit` bytes of content. Beyond the limit, the input waits
 * or, with `spillover`, the batch is refused. A batch is acknowledged when the buffer has it; a crash loses what the
 * buffer holds. Failed deliveries are retried.
 */
export function memoryBuffer(options: MemoryBufferOptions): Buffer {
  const { limit, spillover, batch_policy: policy } = { ...memoryBufferDefaults, ...options };
  const closing = new AbortController();
  const room = new Semaphore(limit);
  let turns = new Semaphore(inFlightLimit);
  let batcher: Batcher | undefined;
  let context: InputContext | undefined;
  let lost = 0;

  async function deliver(batch: Batch, given: InputContext): Promise<Delivered> {
    const redelivery = createRedelivery(given);
    const delivered = await turns.use(() => redelivery.deliver(batch, closing.signal));
    if (delivered === undefined) lost += batch.length;
    return {};
  }

  return {
    async open(given) {
      context = given;
      turns = new Semaphore(inFlightLimit, given.collectors);
      given.signal.addEventListener("abort", () => abort(closing), { once: true });
      // `close` delivers the messages that wait for a full batch, after the input has stopped.
      const { draining: _, ...shared } = given;
      if (policy.enabled === true) {
        batcher = new Batcher(policy, shared, (batch) => deliver(batch, given));
      }
    },
    async write(batch) {
      const given = context;
      if (given === undefined) throw notConnected();
      const size = batch.reduce((sum, message) => sum + message.bytes().length, 0);
      if (size > limit) {
        throw new GatewayError(413, `The messages are larger than the buffer of ${limit} bytes`, {
          retryable: false,
        });
      }
      await acquire(size);
      const delivery = batcher === undefined ? deliver(batch, given) : batcher.add(batch);
      void delivery
        .catch((error: unknown) => {
          lost += batch.length;
          const failure = toGatewayError(error, 500, "Internal error");
          given.log.error("buffered messages were not delivered", { ...describeFailure(failure), error });
        })
        .finally(() => room.release(size));
      return {};
    },
    idle: () => room.idle(),
    async close() {
      batcher?.drain();
      await room.idle();
      if (lost > 0) context?.log.error("messages in the memory buffer are lost", { messages: lost });
      lost = 0;
    },
  };

  async function acquire(size: number): Promise<void> {
    if (spillover && !room.fits(size)) {
      throw new GatewayError(503, "The buffer of the stream is full", { retryAfter: 1 });
    }
    await room.acquire(size);
  }
}
