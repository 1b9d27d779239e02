// Outputs that send one command for each message.

import type { Redis } from "ioredis";
import type { Output } from "../../component/component.ts";
import { CountedWrite } from "../../component/outcomes.ts";
import type { Text } from "../../component/text.ts";
import { failedMessage, refusedTarget } from "../../component/unfit-messages.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { prepareAll } from "../../grammar/unfit-messages.ts";
import type { Batch, Message } from "../../message/message.ts";
import { createRedisConnection, type RedisAddress, redisFailure } from "../../resources/redis-client.ts";

/** Sends the command that was prepared for a message. */
export type SendCommand = (redis: Redis) => Promise<unknown>;

/** The parts of such an output. */
export interface CommandOutputOptions {
  readonly address: RedisAddress;
  /** Largest number of writes in progress. */
  readonly maxInFlight: number;
  /** The key or channel of a command, as the document has it. */
  readonly target: Text;
  /** Returns the command of message `index`; throws a `GatewayError` with 422 if Redis cannot represent it. */
  prepare(message: Message, batch: Batch, index: number): SendCommand;
}

/**
 * Returns an output that sends commands in the order of the writes.
 * A write resolves once Redis has answered all of its commands.
 */
export function commandOutput({ address, maxInFlight, target, prepare }: CommandOutputOptions): Output {
  const connection = createRedisConnection(address);
  const inFlight = new Semaphore(maxInFlight);
  return {
    start: (context) => connection.start(context),
    async write(batch) {
      const commands = prepareAll(batch, (message, index) => prepare(message, batch, index));
      await inFlight.use(() => connection.ask((redis) => sendAll(redis, batch, commands, target)));
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
async function sendAll(
  redis: Redis,
  batch: Batch,
  commands: readonly SendCommand[],
  target: Text,
): Promise<void> {
  const write = new CountedWrite(batch.length);
  for (const [index, message] of batch.entries()) {
    const refuse = (error: unknown) => {
      const failure = redisFailure(error);
      write.refuse(
        isTargetRefused(error) ? refusedTarget(message, target, failure) : failedMessage(message, failure),
      );
    };
    commands[index]?.(redis).then(() => write.confirm(), refuse);
  }
  await write.settled;
}

/** Returns whether Redis does not let the user use the key or channel, or it holds something else. */
function isTargetRefused(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== "ReplyError") return false;
  const { message } = error;
  return (
    message.startsWith("WRONGTYPE ") ||
    (message.startsWith("NOPERM ") && message.includes("permissions to access"))
  );
}
