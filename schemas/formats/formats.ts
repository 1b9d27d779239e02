import { httpUrl, origin, socketUrl } from "./addresses.ts";
import { amqpAddress } from "./amqp.ts";
import type { Format } from "./format.ts";
import { keyHash, passwordHash } from "./hashes.ts";
import { headerName, headerValue, hostName, lineOfText } from "./http.ts";
import { kafkaAddress, kafkaTopic, kafkaTopicSelection } from "./kafka.ts";
import { smtpAddress } from "./mail.ts";
import { mqttAddress, mqttFilter, mqttTopic } from "./mqtt.ts";
import { natsAddress, natsBucket, natsFilter, natsKey, natsName, natsQueue, natsSubject } from "./nats.ts";
import { network } from "./networks.ts";
import { redisAddress } from "./redis.ts";
import { byteSize } from "./sizes.ts";
import { storeAddress } from "./stores.ts";
import { truth } from "./truth.ts";
import { eventType, webhookSecret } from "./webhooks.ts";

/** Every form of text there is, under the name that `x-format` has for it. */
export const formats = {
  "amqp-address": amqpAddress,
  "byte-size": byteSize,
  "event-type": eventType,
  "header-name": headerName,
  "header-value": headerValue,
  "host-name": hostName,
  "http-url": httpUrl,
  "kafka-address": kafkaAddress,
  "kafka-topic": kafkaTopic,
  "kafka-topic-selection": kafkaTopicSelection,
  "key-hash": keyHash,
  line: lineOfText,
  "mqtt-address": mqttAddress,
  "mqtt-filter": mqttFilter,
  "mqtt-topic": mqttTopic,
  "nats-address": natsAddress,
  "nats-bucket": natsBucket,
  "nats-filter": natsFilter,
  "nats-key": natsKey,
  "nats-name": natsName,
  "nats-queue": natsQueue,
  "nats-subject": natsSubject,
  network,
  origin,
  "password-hash": passwordHash,
  "redis-address": redisAddress,
  "smtp-address": smtpAddress,
  "socket-url": socketUrl,
  "store-address": storeAddress,
  truth,
  "webhook-secret": webhookSecret,
} as const satisfies Readonly<Record<string, Format>>;

/** What `x-format` may say. */
export type FormatName = keyof typeof formats;
