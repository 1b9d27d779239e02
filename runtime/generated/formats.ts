// Generated from schemas/formats/ by scripts/generate-options.ts. Do not edit.

import { matching } from "../environment-limits.ts";

export const amqpAddress = /* @__PURE__ */ matching(
  /^(?:amqp|amqps):\/\/(?:[^\s/?#@]*@)?(?:\[[0-9a-f:.]+\]|[^\s:/?#@,[\]\\]+)(?::(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])(?!\d))?(?:[/?#][^\r\n]*)?$/i,
  "the address of an AMQP broker",
);

export const byteSize = /* @__PURE__ */ matching(
  /^\d+(?:\.\d+)? *(?:[kKmMgG](?:[iI]?[bB])?|[bB])?$/,
  "a size",
);

export const eventType = /* @__PURE__ */ matching(
  /^[!-~]+(?: [!-~]+)*$/,
  "the type of an event",
);

export const headerName = /* @__PURE__ */ matching(
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/,
  "the name of a header",
);

export const headerValue = /* @__PURE__ */ matching(
  /^[\t\n\r ]*(?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?[\t\n\r ]*$/,
  "the value of a header",
);

export const hostName = /* @__PURE__ */ matching(
  /^(?=[^.]*[A-Za-z]|.*\.[^.]*[A-Za-z])(?:[0-9A-Za-z](?:[0-9A-Za-z_-]{0,61}[0-9A-Za-z])?\.)*[0-9A-Za-z](?:[0-9A-Za-z_-]{0,61}[0-9A-Za-z])?\.?$/,
  "the name of a host",
);

export const httpUrl = /* @__PURE__ */ matching(
  /^(?:http|https):\/\/(?:[^\s/?#@]*@)?(?:\[[0-9a-f:.]+\]|[^\s:/?#@,[\]\\]+)(?::(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])(?!\d))?(?:[/?#][^\r\n]*)?$/i,
  "an HTTP address",
);

export const kafkaAddress = /* @__PURE__ */ matching(
  /^(?:\[[0-9a-fA-F:.]+\]|[^\s:/?#@,[\]\\]+):(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])(?!\d)$/,
  "the address of a Kafka broker",
);

export const kafkaTopic = /* @__PURE__ */ matching(
  /^(?!\.{1,2}(?::|$))[a-zA-Z0-9._-]{1,249}$/,
  "a Kafka topic",
);

export const kafkaTopicSelection = /* @__PURE__ */ matching(
  /^(?!\.{1,2}(?::|$))[a-zA-Z0-9._-]{1,249}(?::\d+(?:-\d+)?)?$/,
  "a choice of Kafka topics",
);

export const keyHash = /* @__PURE__ */ matching(
  /^[0-9a-fA-F]{64}$/,
  "the SHA-256 of a key",
);

export const line = /* @__PURE__ */ matching(
  /^[^\r\n\0]*$/,
  "the value of a header",
);

export const mqttAddress = /* @__PURE__ */ matching(
  /^(?:(?:mqtt|mqtts|tcp|ssl|tls|ws|wss):\/\/)?(?:[^\s/?#@]*@)?(?:\[[0-9a-f:.]+\]|[^\s:/?#@,[\]\\]+)(?::(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])(?!\d))?(?:[/?#][^\r\n]*)?$/i,
  "the address of an MQTT broker",
);

export const mqttFilter = /* @__PURE__ */ matching(
  /^(?:\$share\/[^/#+\0]+\/(?!$)|(?!\$share(?:\/|$)))(?:(?:\+|[^#+/\0]*)\/)*(?:#|\+|[^#+/\0]*)$/,
  "an MQTT topic filter",
);

export const mqttTopic = /* @__PURE__ */ matching(
  /^[^#+\0]+$/,
  "an MQTT topic to publish to",
);

export const natsAddress = /* @__PURE__ */ matching(
  /^(?:(?:nats|tls|tcp):\/\/)?(?:[^\s/?#@]*@)?(?:\[[0-9a-f:.]+\]|[^\s:/?#@,[\]\\]+)(?::(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])(?!\d))?(?:[/?#][^\r\n]*)?$/i,
  "the address of a NATS server",
);

export const natsBucket = /* @__PURE__ */ matching(
  /^[-\w]+$/,
  "the name of a NATS bucket",
);

export const natsFilter = /* @__PURE__ */ matching(
  /^(?:(?:\*|[^\s.*>]+)\.)*(?:\*|>|[^\s.*>]+)$/,
  "a NATS subject",
);

export const natsKey = /* @__PURE__ */ matching(
  /^[-/=\w]+(?:\.[-/=\w]+)*$/,
  "a key of a NATS bucket",
);

export const natsName = /* @__PURE__ */ matching(
  /^[^\s.*>/\\]+$/,
  "the name of a stream or consumer",
);

export const natsQueue = /* @__PURE__ */ matching(
  /^\S+$/,
  "the name of a queue group",
);

export const natsSubject = /* @__PURE__ */ matching(
  /^[^\s.*>]+(?:\.[^\s.*>]+)*$/,
  "a NATS subject to publish to",
);

export const network = /* @__PURE__ */ matching(
  /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}(?:\/(?:3[0-2]|[12]?\d))?|(?:(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}|(?:[0-9A-Fa-f]{1,4}:){1}(?::[0-9A-Fa-f]{1,4}){1,6}|(?:[0-9A-Fa-f]{1,4}:){2}(?::[0-9A-Fa-f]{1,4}){1,5}|(?:[0-9A-Fa-f]{1,4}:){3}(?::[0-9A-Fa-f]{1,4}){1,4}|(?:[0-9A-Fa-f]{1,4}:){4}(?::[0-9A-Fa-f]{1,4}){1,3}|(?:[0-9A-Fa-f]{1,4}:){5}(?::[0-9A-Fa-f]{1,4}){1,2}|(?:[0-9A-Fa-f]{1,4}:){6}(?::[0-9A-Fa-f]{1,4}){1,1}|(?:[0-9A-Fa-f]{1,4}:){1,7}:|:(?::[0-9A-Fa-f]{1,4}){1,7}|::|::(?:[Ff]{4}:)?(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3})(?:\/(?:12[0-8]|1[01]\d|\d?\d))?)$/,
  "an IP address or a network",
);

export const origin = /* @__PURE__ */ matching(
  /^(?:\*|https?:\/\/(?:\[[0-9a-f:.]+\]|[^\s:/?#@,[\]\\]+)(?::(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])(?!\d))?(?:[/?#][^\r\n]*)?)$/i,
  "an origin",
);

export const passwordHash = /* @__PURE__ */ matching(
  /^(?:\$argon2id?\$v=19\$m=\d{1,7},t=\d{1,3},p=\d{1,2}\$[A-Za-z0-9+/]{11,64}\$[A-Za-z0-9+/]{16,128}|\$2[aby]?\$(?:0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53})$/,
  "the hash of a password",
);

export const redisAddress = /* @__PURE__ */ matching(
  /^(?:redis|rediss|tcp):\/\/(?:[^\s/?#@]*@)?(?:\[[0-9a-f:.]+\]|[^\s:/?#@,[\]\\]+)(?::(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])(?!\d))?(?:[/?#][^\r\n]*)?$/i,
  "the address of a Redis server",
);

export const smtpAddress = /* @__PURE__ */ matching(
  /^smtps?:\/\/(?:[^\s/?#@]*@)?(?:\[[0-9A-Fa-f:.]+\]|[^\s/?#@:[\]]+)(?::\d{1,5})?\/?$/,
  "the address of a server for e-mails",
);

export const socketUrl = /* @__PURE__ */ matching(
  /^(?:ws|wss):\/\/(?:[^\s/?#@]*@)?(?:\[[0-9a-f:.]+\]|[^\s:/?#@,[\]\\]+)(?::(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])(?!\d))?(?:[/?#][^\r\n]*)?$/i,
  "the address of a WebSocket server",
);

export const storeAddress = /* @__PURE__ */ matching(
  /^(?:sqlite:(?!\/\/$).+|postgres(?:ql)?:\/\/\S+)$/,
  "the address of a store",
);

export const truth = /* @__PURE__ */ matching(
  /^(?:1|0|t|f|T|F|true|false|TRUE|FALSE|True|False)$/,
  "a truth value",
);

export const webhookSecret = /* @__PURE__ */ matching(
  /^(?:whsec_[A-Za-z0-9+/]{22,86}={0,2}|(?!whsec_)[\s\S]{8,512})$/,
  "the secret of a webhook",
);
