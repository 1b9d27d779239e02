// Processors that ask Redis something for each message.

import type { Redis } from "ioredis";
import type { ComponentContext, Processor } from "../../component/component.ts";
import { openOnDemand } from "../../component/kept-open.ts";
import { GatewayError, MappingError, toGatewayError } from "../../errors.ts";
import { encodeJson } from "../../message/json-bytes.ts";
import type { Batch, Message } from "../../message/message.ts";
import { inTurn } from "../../processors/in-turn.ts";
import { throwIfStopped, waitUnlessStopped } from "../../processors/stopping.ts";
import {
  createRedisConnection,
  type RedisAddress,
  type RedisConnection,
} from "../../resources/redis-client.ts";
import { replyValue } from "./arguments.ts";

/** What such a processor is made of. */
export interface AskingOptions {
  readonly address: RedisAddress;
  /** Attempts after the first. */
  readonly retries: number;
  /** Milliseconds between attempts. */
  readonly retryPeriod: number;
  /** What is asked for message `index`; throws a `MappingError` where that cannot be computed. */
  prepare(batch: Batch, index: number): (redis: Redis) => Promise<unknown>;
}

/**
 * Puts the reply to each message in its place, one message after the other; one without a reply goes on as it was,
 * flagged. The connection is opened with the first message.
 */
export function askingProcessor(options: AskingOptions): Processor {
  const connection = openOnDemand(
    (context: ComponentContext) => open(options.address, context),
    (opened) => opened.close(),
  );

  async function ask(
    batch: Batch,
    index: number,
    message: Message,
    context: ComponentContext,
  ): Promise<Message> {
    try {
      const command = options.prepare(batch, index);
      const reply = await persist(options, context, async () =>
        (await connection.open(context)).ask(command),
      );
      if (reply === null || reply === undefined) throw new MappingError("redis: nil");
      return message.withBytes(encodeJson(replyValue(reply)));
    } catch (error) {
      throwIfStopped(context.signal);
      return message.withFailure(inWordsOfRedis(toGatewayError(error, 500, "the redis processor failed")));
    }
  }

  return {
    process: (batch, context) =>
      inTurn(batch, async (message, index) => [await ask(batch, index, message, context)]),
    close: () => connection.close(),
  };
}

async function open(address: RedisAddress, context: ComponentContext): Promise<RedisConnection> {
  const connection = createRedisConnection(address, { typedReplies: true });
  await connection.start(context);
  return connection;
}

/** Asks until there is an answer, or the attempts are used up. */
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
      log.debug("Redis is asked again", { error });
      await waitUnlessStopped(retryPeriod, signal);
    }
  }
}

/** Documents read by `error()` what Redis said; callers and operators do not, since it may quote the message. */
function inWordsOfRedis(failure: GatewayError): GatewayError {
  const { cause, status, retryable, answer } = failure;
  if (!(cause instanceof Error) || cause.name !== "ReplyError") return failure;
  return new GatewayError(status, cause.message, { cause, retryable, answer });
}
