import { httpUrl, origin, redirectUri, socketUrl } from "./addresses.ts";
import {
  amqpAddress,
  amqpBindingKey,
  amqpExchange,
  amqpLiteralKey,
  amqpLiteralNode,
  amqpNode,
  amqpNodePart,
  amqpShort,
  amqpUnreservedExchange,
  amqpUnreservedNode,
  amqpWord,
} from "./amqp.ts";
import { fileLiteral, fileName, filePath, filePattern } from "./files.ts";
import { type Format, faultOf } from "./format.ts";
import { keyHash, passwordHash } from "./hashes.ts";
import { allowedHost, headerName, headerValue, hostName, hostPattern, lineOfText } from "./http.ts";
import {
  kafkaAddress,
  kafkaName,
  kafkaPatternLiteral,
  kafkaTopic,
  kafkaTopicPart,
  kafkaTopicPattern,
  kafkaTopicSelection,
  kafkaUnreservedTopic,
  kafkaUnreservedTopicPattern,
  kafkaUnreservedTopicSelection,
} from "./kafka.ts";
import { smtpAddress } from "./mail.ts";
import { memcachedAddress, memcachedPrefix } from "./memcached.ts";
import {
  mqttAddress,
  mqttFilter,
  mqttLevel,
  mqttLiteral,
  mqttText,
  mqttTopic,
  mqttTopicPart,
  mqttUnreservedFilter,
  mqttUnreservedTopic,
} from "./mqtt.ts";
import {
  natsAddress,
  natsBucket,
  natsFilter,
  natsKey,
  natsKeyFilter,
  natsKeyPart,
  natsName,
  natsQueue,
  natsSubject,
  natsSubjectPart,
  natsToken,
  natsUnreservedFilter,
  natsUnreservedSubject,
} from "./nats.ts";
import { network } from "./networks.ts";
import {
  redisAddress,
  redisAddresses,
  redisAllowedCommand,
  redisCommand,
  redisKey,
  redisLiteral,
  redisOptionalKey,
  redisOptionalPattern,
  redisPattern,
} from "./redis.ts";
import { byteSize } from "./sizes.ts";
import { sqlName } from "./sql.ts";
import { storeAddress } from "./stores.ts";
import { truth } from "./truth.ts";
import { eventType, webhookSecret } from "./webhooks.ts";

/** All formats, by their name in `x-format`. */
export const formats = {
  "allowed-host": allowedHost,
  "amqp-unreserved-exchange": amqpUnreservedExchange,
  "amqp-unreserved-node": amqpUnreservedNode,
  "amqp-address": amqpAddress,
  "amqp-binding-key": amqpBindingKey,
  "amqp-exchange": amqpExchange,
  "amqp-literal-key": amqpLiteralKey,
  "amqp-literal-node": amqpLiteralNode,
  "amqp-node": amqpNode,
  "amqp-node-part": amqpNodePart,
  "amqp-short": amqpShort,
  "amqp-word": amqpWord,
  "byte-size": byteSize,
  "event-type": eventType,
  "file-literal": fileLiteral,
  "file-name": fileName,
  "file-path": filePath,
  "file-pattern": filePattern,
  "header-name": headerName,
  "header-value": headerValue,
  "host-name": hostName,
  "host-pattern": hostPattern,
  "http-url": httpUrl,
  "kafka-unreserved-topic": kafkaUnreservedTopic,
  "kafka-unreserved-topic-pattern": kafkaUnreservedTopicPattern,
  "kafka-unreserved-topic-selection": kafkaUnreservedTopicSelection,
  "kafka-address": kafkaAddress,
  "kafka-name": kafkaName,
  "kafka-pattern-literal": kafkaPatternLiteral,
  "kafka-topic": kafkaTopic,
  "kafka-topic-part": kafkaTopicPart,
  "kafka-topic-pattern": kafkaTopicPattern,
  "kafka-topic-selection": kafkaTopicSelection,
  "key-hash": keyHash,
  line: lineOfText,
  "mqtt-unreserved-filter": mqttUnreservedFilter,
  "mqtt-unreserved-topic": mqttUnreservedTopic,
  "memcached-address": memcachedAddress,
  "memcached-prefix": memcachedPrefix,
  "mqtt-address": mqttAddress,
  "mqtt-filter": mqttFilter,
  "mqtt-level": mqttLevel,
  "mqtt-literal": mqttLiteral,
  "mqtt-text": mqttText,
  "mqtt-topic": mqttTopic,
  "mqtt-topic-part": mqttTopicPart,
  "nats-unreserved-filter": natsUnreservedFilter,
  "nats-unreserved-subject": natsUnreservedSubject,
  "nats-address": natsAddress,
  "nats-bucket": natsBucket,
  "nats-filter": natsFilter,
  "nats-key": natsKey,
  "nats-key-filter": natsKeyFilter,
  "nats-key-part": natsKeyPart,
  "nats-name": natsName,
  "nats-queue": natsQueue,
  "nats-subject": natsSubject,
  "nats-subject-part": natsSubjectPart,
  "nats-token": natsToken,
  network,
  origin,
  "password-hash": passwordHash,
  "redirect-uri": redirectUri,
  "redis-address": redisAddress,
  "redis-addresses": redisAddresses,
  "redis-allowed-command": redisAllowedCommand,
  "redis-command": redisCommand,
  "redis-key": redisKey,
  "redis-literal": redisLiteral,
  "redis-optional-key": redisOptionalKey,
  "redis-optional-pattern": redisOptionalPattern,
  "redis-pattern": redisPattern,
  "smtp-address": smtpAddress,
  "socket-url": socketUrl,
  "sql-name": sqlName,
  "store-address": storeAddress,
  truth,
  "webhook-secret": webhookSecret,
} as const satisfies Readonly<Record<string, Format>>;

/** The possible values of `x-format`. */
export type FormatName = keyof typeof formats;

/** The formats of a supplied value: as the whole field and as a part of it. */
export interface Literals {
  readonly whole: FormatName;
  readonly part: FormatName;
}

/**
 * The literal formats for formats of patterns. A value from a client must be literal in a pattern: it
 * contains no wildcards, and as a part of a text no separators either.
 */
export const literalForms: Readonly<Partial<Record<FormatName, Literals>>> = {
  "amqp-binding-key": { whole: "amqp-literal-key", part: "amqp-word" },
  "amqp-node": { whole: "amqp-literal-node", part: "amqp-node-part" },
  "file-pattern": { whole: "file-literal", part: "file-name" },
  "kafka-topic-pattern": { whole: "kafka-topic", part: "kafka-topic-part" },
  "kafka-topic-selection": { whole: "kafka-topic", part: "kafka-topic-part" },
  "mqtt-filter": { whole: "mqtt-literal", part: "mqtt-level" },
  "nats-filter": { whole: "nats-subject", part: "nats-token" },
  "nats-key-filter": { whole: "nats-key", part: "nats-key-part" },
  "redis-optional-pattern": { whole: "redis-literal", part: "redis-literal" },
  "redis-pattern": { whole: "redis-literal", part: "redis-literal" },
};

/**
 * Formats in which a server reserves some texts, with the format without those texts, for values not written in the
 * document.
 */
export const unreservedForms: Readonly<Partial<Record<FormatName, FormatName>>> = {
  "amqp-exchange": "amqp-unreserved-exchange",
  "amqp-node": "amqp-unreserved-node",
  "kafka-topic": "kafka-unreserved-topic",
  "kafka-topic-pattern": "kafka-unreserved-topic-pattern",
  "kafka-topic-selection": "kafka-unreserved-topic-selection",
  "mqtt-filter": "mqtt-unreserved-filter",
  "mqtt-topic": "mqtt-unreserved-topic",
  "nats-filter": "nats-unreserved-filter",
  "nats-subject": "nats-unreserved-subject",
};

/** Whether a text with this beginning is reserved by a server. */
export function isReserved(form: FormatName, beginning: string): boolean {
  const unreserved = unreservedForms[form];
  return unreserved !== undefined && faultOf(formats[unreserved], `${beginning}a`) !== undefined;
}

/** The format of parts from the environment, for formats of texts that are computed from messages. */
export const pieceForms: Readonly<Partial<Record<FormatName, FormatName>>> = {
  "amqp-exchange": "amqp-short",
  "amqp-short": "amqp-short",
  "kafka-name": "kafka-name",
  "kafka-topic": "kafka-topic-part",
  "mqtt-text": "mqtt-text",
  "mqtt-topic": "mqtt-topic-part",
  "nats-subject": "nats-subject-part",
};
