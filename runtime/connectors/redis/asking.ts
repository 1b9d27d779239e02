// Processors that send a command to Redis for each message and use the reply.

import type { Redis } from "ioredis";
import type { ComponentContext, Processor } from "../../component/component.ts";
import { openOnDemand } from "../../component/kept-open.ts";
import { GatewayError, MappingError, toGatewayError } from "../../errors.ts";
import { encodeJson } from "../../message/json-bytes.ts";
import type { Batch } from "../../message/message.ts";
import { type ReplaceMessage, replaceEach } from "../../processors/replace-each.ts";
import { waitUnlessStopped } from "../../processors/stopping.ts";
import {
  createRedisConnection,
  type RedisAddress,
  type RedisConnection,
} from "../../resources/redis-client.ts";
import { replyValue } from "./arguments.ts";

/** The parts of such a processor. */
export interface AskingOptions {
  readonly address: RedisAddress;
  /** Number of attempts after the first. */
  readonly retries: number;
  /** Milliseconds between attempts. */
  readonly retryPeriod: number;
  /** Returns the command for message `index`; throws a `MappingError` if it cannot be computed. */
  prepare(batch: Batch, index: number): (redis: Redis) => Promise<unknown>;
}

/**
 * Replaces each message with the reply to its command, one message after the other. A message without a reply
 * continues unchanged, and flagged. The connection is opened with the first message.
 */
export function askingProcessor(options: AskingOptions): Processor {
  const connection = openOnDemand(
    (context: ComponentContext) => open(options.address, context),
    (opened) => opened.close(),
  );

  const ask: ReplaceMessage = async (message, context, batch, index) => {
    const command = options.prepare(batch, index);
    const reply = await persist(options, context, async () => (await connection.open(context)).ask(command));
    if (reply === null || reply === undefined) throw new MappingError("redis: nil");
    return message.withBytes(encodeJson(replyValue(reply)));
  };

  return {
    process: replaceEach(ask, (error) =>
      inWordsOfRedis(toGatewayError(error, 500, "the redis processor failed")),
    ),
    close: () => connection.close(),
  };
}

async function open(address: RedisAddress, context: ComponentContext): Promise<RedisConnection> {
  const connection = createRedisConnection(address, { typedReplies: true });
  await connection.start(context);
  return connection;
}

/** Retries `work` until it succeeds or the attempts are used up. */
async function persist<T>(
  { retries, retryPeriod }: AskingOptions,
  { log, signal }: ComponentContext,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const { retryable } = toGatewayError(error, 500, "");
      if (!retryable || attempt >= retries) throw error;
      log.debug("retrying the Redis command", { error });
      await waitUnlessStopped(retryPeriod, signal);
    }
  }
}

/**
 * Adds the error text of Redis for `error()` in documents.
 * Callers and operators do not see it, since it may quote the message.
 */
function inWordsOfRedis(failure: GatewayError): GatewayError {
  const { cause, status, retryable, answer } = failure;
  if (!(cause instanceof Error) || cause.name !== "ReplyError") return failure;
  return new GatewayError(status, cause.message, { cause, retryable, answer });
}
