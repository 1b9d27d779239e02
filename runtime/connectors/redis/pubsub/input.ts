import type { Redis } from "ioredis";
import type { Input, InputContext } from "../../../component/component.ts";
import { createRedeliveryOfEach, withReplay } from "../../../component/redelivery.ts";
import { abort } from "../../../concurrency/abort.ts";
import { DeliveryWindow } from "../../../concurrency/delivery-window.ts";
import { sourceFrom } from "../../../conditions/blockage.ts";
import { Message } from "../../../message/message.ts";
import { createRedisConnection, type RedisConnection } from "../../../resources/redis-client.ts";
import { decodeUtf8 } from "../../../text/utf8.ts";
import { type RedisPubsubInputOptions, redisPubsubInputDefaults } from "./generated/input-options.ts";

/** Largest number of deliveries in progress, and of further messages that wait. */
const inFlightLimit = 1024;
const heldLimit = 65_536;

/** Largest total size of messages in progress and waiting, in bytes; further messages are dropped. */
const bytesLimit = 64 * 1024 * 1024;

/** Milliseconds between pings: a connection is silent while nothing is published. */
const pingPeriod = 10_000;

const sourceOf = /* @__PURE__ */ sourceFrom({ channel: "redis_pubsub_channel" });

/**
 * Subscribes to channels. Redis stores nothing: this process holds a message until it is delivered and retries failed
 * deliveries, but a crash loses it.
 */
export function redisPubsubInput(options: RedisPubsubInputOptions): Input {
  const settings = { ...redisPubsubInputDefaults, ...options };
  const connection = createRedisConnection(options);
  const closing = new AbortController();
  let window: DeliveryWindow<Message> | undefined;
  let pings: NodeJS.Timeout | undefined;
  return {
    async start(context) {
      const opened = openWindow(settings.auto_replay_nacks, context, closing.signal);
      window = opened;
      await connection.start(context);
      await connection.ask((redis) => subscribe(redis, settings, (message) => opened.take(message, true)));
      pings = setInterval(() => void ping(connection, context), pingPeriod);
    },
    async close() {
      abort(closing);
      clearInterval(pings);
      await connection.close();
      await window?.idle();
    },
  };
}

function openWindow(replays: boolean, context: InputContext, closing: AbortSignal): DeliveryWindow<Message> {
  const deliverMessages = createRedeliveryOfEach(withReplay(context, replays), sourceOf);
  return new DeliveryWindow<Message>({
    limit: inFlightLimit,
    collectors: context.collectors,
    held: heldLimit,
    bytes: bytesLimit,
    sizeOf: (message) => message.bytes().length,
    deliver(messages, settle) {
      if (closing.aborted) for (const index of messages.keys()) settle(index);
      else deliverMessages(messages, closing, settle);
    },
    onDropped: (count) =>
      context.log.warn("the stream is too slow for Redis, messages are dropped", { count }),
  });
}

/** Subscribes. The client subscribes again whenever it has reconnected. */
async function subscribe(
  redis: Redis,
  { channels, use_patterns }: Pick<RedisPubsubInputOptions, "channels" | "use_patterns">,
  take: (message: Message) => void,
): Promise<void> {
  redis.on("messageBuffer", (channel: Buffer, content: Buffer) => take(messageOf(channel, content)));
  redis.on("pmessageBuffer", (pattern: Buffer | string, channel: Buffer, content: Buffer) =>
    take(messageOf(channel, content, String(pattern))),
  );
  await (use_patterns === true ? redis.psubscribe(...channels) : redis.subscribe(...channels));
}

function messageOf(channel: Buffer, content: Buffer, pattern?: string): Message {
  const metadata = new Map([["redis_pubsub_channel", decodeUtf8(channel)]]);
  if (pattern !== undefined) metadata.set("redis_pubsub_pattern", pattern);
  return Message.fromBytes(content, metadata);
}

/** Sends a ping. If it gets no answer, the client ends the connection and opens another. */
async function ping(connection: RedisConnection, { log }: InputContext): Promise<void> {
  try {
    if (connection.isReady) await connection.ask((redis) => redis.ping());
  } catch (error) {
    log.debug("Redis does not answer", { error });
  }
}
