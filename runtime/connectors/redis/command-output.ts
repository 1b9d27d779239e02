// Outputs that send one command for each message.

import type { Redis } from "ioredis";
import type { Output } from "../../component/component.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { prepareAll } from "../../grammar/unfit-messages.ts";
import type { Batch, Message } from "../../message/message.ts";
import { createRedisConnection, type RedisAddress } from "../../resources/redis-client.ts";

/** Sends the command that was prepared for a message. */
export type SendCommand = (redis: Redis) => Promise<unknown>;

/** The parts of such an output. */
export interface CommandOutputOptions {
  readonly address: RedisAddress;
  /** Largest number of writes in progress. */
  readonly maxInFlight: number;
  /** Returns the command of message `index`; throws a `GatewayError` with 422 if Redis cannot represent it. */
  prepare(message: Message, batch: Batch, index: number): SendCommand;
}

/**
 * Returns an output that sends commands in the order of the writes.
 * A write resolves once Redis has answered all of its commands.
 */
export function commandOutput({ address, maxInFlight, prepare }: CommandOutputOptions): Output {
  const connection = createRedisConnection(address);
  const inFlight = new Semaphore(maxInFlight);
  return {
    start: (context) => connection.start(context),
    async write(batch) {
      const commands = prepareAll(batch, (message, index) => prepare(message, batch, index));
      await inFlight.use(() => connection.ask((redis) => sendAll(redis, commands)));
      return {};
    },
    async close() {
      await inFlight.idle();
      await connection.close();
    },
  };
}

/**
 * Sends all commands. Waits for all replies before it reports a failure,
 * so that nothing of a refused write is still in progress.
 */
async function sendAll(redis: Redis, commands: readonly SendCommand[]): Promise<void> {
  const answers = await Promise.allSettled(commands.map((send) => send(redis)));
  for (const answer of answers) if (answer.status === "rejected") throw answer.reason;
}
