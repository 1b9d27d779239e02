// Outputs that send one command for each message.

import type { Redis } from "ioredis";
import type { Output } from "../../component/component.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { prepareAll } from "../../grammar/unfit-messages.ts";
import type { Batch, Message } from "../../message/message.ts";
import { createRedisConnection, type RedisAddress } from "../../resources/redis-client.ts";

/** Sends what was prepared for a message. */
export type SendCommand = (redis: Redis) => Promise<unknown>;

/** What such an output is made of. */
export interface CommandOutputOptions {
  readonly address: RedisAddress;
  /** Writes on their way at once. */
  readonly maxInFlight: number;
  /** The command of message `index`; throws a `GatewayError` with 422 where Redis cannot carry it. */
  prepare(message: Message, batch: Batch, index: number): SendCommand;
}

/** Commands go out in the order of the writes; a write resolves once Redis has answered all of its own. */
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

/** All of them are answered before one that failed is reported: nothing of a refused write is still under way. */
async function sendAll(redis: Redis, commands: readonly SendCommand[]): Promise<void> {
  const answers = await Promise.allSettled(commands.map((send) => send(redis)));
  for (const answer of answers) if (answer.status === "rejected") throw answer.reason;
}
