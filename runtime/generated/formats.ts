// Generated from schemas/formats/ by scripts/generate-options.ts. Do not edit.

import { matching } from "../process/environment-limits.ts";

export const allowedHost = /* @__PURE__ */ matching(
  /^(?:\*\.)?[0-9A-Za-z_[\]:.-]+$/,
  "a host that requests may go to",
);

export const amqpUnreservedExchange = /* @__PURE__ */ matching(
  /^(?!amq\.)(?!amq\.rabbitmq\.)[^\p{Cc}\p{Cs}]*$/u,
  "an exchange of an AMQP broker that is not reserved",
  255,
);

export const amqpUnreservedNode = /* @__PURE__ */ matching(
  /^(?!\$|\/management$)[^\p{Cc}\p{Cs}]+$/u,
  "the address of a node of an AMQP broker that is not reserved",
  2048,
);

export const amqpAddress = /* @__PURE__ */ matching(
  /^(?:amqp|amqps):\/\/(?:[^\s/?#@]*@)?(?:\[[0-9a-f:.]+\]|[^\s:/?#@,[\]\\]+)(?::(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])(?!\d))?(?:[/?#][^\r\n]*)?$/i,
  "the address of an AMQP broker",
);

export const amqpBindingKey = /* @__PURE__ */ matching(
  /^[^\p{Cc}\p{Cs}]*$/u,
  "a key of an AMQP binding",
  255,
);

export const amqpExchange = /* @__PURE__ */ matching(
  /^(?!amq\.rabbitmq\.)[^\p{Cc}\p{Cs}]*$/u,
  "an exchange of an AMQP broker",
  255,
);

export const amqpLiteralKey = /* @__PURE__ */ matching(
  /^[^*#\p{Cc}\p{Cs}]*$/u,
  "a key of an AMQP binding without wildcards",
  255,
);

export const amqpLiteralNode = /* @__PURE__ */ matching(
  /^(?!\$|\/management$)[^*#>%?;\p{Cc}\p{Cs}]+$/u,
  "the address of a node of an AMQP broker without wildcards",
  2048,
);

export const amqpNode = /* @__PURE__ */ matching(
  /^[^\p{Cc}\p{Cs}]+$/u,
  "the address of a node of an AMQP broker",
  2048,
);

export const amqpNodePart = /* @__PURE__ */ matching(
  /^[^*#>%?;./:\p{Cc}\p{Cs}]+$/u,
  "one part of the address of a node of an AMQP broker",
  2048,
);

export const amqpShort = /* @__PURE__ */ matching(
  /^[^\p{Cc}\p{Cs}]*$/u,
  "an AMQP short string",
  255,
);

export const amqpWord = /* @__PURE__ */ matching(
  /^[^*#.\p{Cc}\p{Cs}]+$/u,
  "one word of an AMQP key without wildcards",
  255,
);

export const byteSize = /* @__PURE__ */ matching(
  /^\d+(?:\.\d+)? *(?:[kKmMgG](?:[iI]?[bB])?|[bB])?$/,
  "a size",
);

export const eventType = /* @__PURE__ */ matching(
  /^[!-~]+(?: [!-~]+)*$/,
  "the type of an event",
);

export const fileLiteral = /* @__PURE__ */ matching(
  /^(?!(?:.*[\\/])?\.\.(?:[\\/]|$))[^*?[\]{}()!+@|,\\\p{Cc}\p{Cs}]+$/u,
  "the path of a file without wildcards",
  4090,
);

export const fileName = /* @__PURE__ */ matching(
  /^(?!\.+$)[^/*?[\]{}()!+@|,\\\p{Cc}\p{Cs}]+$/u,
  "the name of a file without wildcards",
  255,
);

export const filePath = /* @__PURE__ */ matching(
  /^(?!(?:.*[\\/])?\.\.(?:[\\/]|$))[^\p{Cc}\p{Cs}]*[^\\/\p{Cc}\p{Cs}]$/u,
  "the path of a file",
  4090,
);

export const filePattern = /* @__PURE__ */ matching(
  /^[^\p{Cc}\p{Cs}]+$/u,
  "the path of files",
  4090,
);

export const headerName = /* @__PURE__ */ matching(
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/,
  "the name of a header",
);

export const headerValue = /* @__PURE__ */ matching(
  /^[\t\n\r ]*(?:[\x21-\x7e\x80-\xff]+(?:[\t ]+[\x21-\x7e\x80-\xff]+)*[\t\n\r ]*)?$/,
  "the value of a header",
);

export const hostName = /* @__PURE__ */ matching(
  /^(?=[^.]*[A-Za-z]|.*\.[^.]*[A-Za-z])(?:[0-9A-Za-z](?:[0-9A-Za-z_-]{0,61}[0-9A-Za-z])?\.)*[0-9A-Za-z](?:[0-9A-Za-z_-]{0,61}[0-9A-Za-z])?\.?$/,
  "the name of a host",
);

export const hostPattern = /* @__PURE__ */ matching(
  /^(?:\*\.)?(?=[^.]*[A-Za-z]|.*\.[^.]*[A-Za-z])(?:[0-9A-Za-z](?:[0-9A-Za-z_-]{0,61}[0-9A-Za-z])?\.)*[0-9A-Za-z](?:[0-9A-Za-z_-]{0,61}[0-9A-Za-z])?\.?$/,
  "the name of a host, or `*.` and a domain",
);

export const httpUrl = /* @__PURE__ */ matching(
  /^(?:http|https):\/\/(?:[^\s/?#@]*@)?(?:\[[0-9a-f:.]+\]|[^\s:/?#@,[\]\\]+)(?::(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])(?!\d))?(?:[/?#][^\r\n]*)?$/i,
  "an HTTP address",
);

export const kafkaUnreservedTopic = /* @__PURE__ */ matching(
  /^(?!__)(?!\.{1,2}(?::|$))[a-zA-Z0-9._-]{1,249}$/,
  "a Kafka topic that is not reserved",
);

export const kafkaUnreservedTopicPattern = /* @__PURE__ */ matching(
  /^(?!__)[^\p{Cc}\p{Cs}]+$/u,
  "a selection of Kafka topics that is not reserved",
);

export const kafkaUnreservedTopicSelection = /* @__PURE__ */ matching(
  /^(?!__)(?!\.{1,2}(?::|$))[a-zA-Z0-9._-]{1,249}(?::\d+(?:-\d+)?)?$/,
  "a selection of Kafka topics that is not reserved",
);

export const kafkaAddress = /* @__PURE__ */ matching(
  /^(?:\[[0-9a-fA-F:.]+\]|[^\s:/?#@,[\]\\]+):(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])(?!\d)$/,
  "the address of a Kafka broker",
);

export const kafkaName = /* @__PURE__ */ matching(
  /^[^\p{Cc}\p{Cs}]*$/u,
  "a Kafka name",
  255,
);

export const kafkaPatternLiteral = /* @__PURE__ */ matching(
  /^(?!__)[a-zA-Z0-9_-]{1,249}$/,
  "literal text in a pattern of Kafka topics",
);

export const kafkaTopic = /* @__PURE__ */ matching(
  /^(?!\.{1,2}(?::|$))[a-zA-Z0-9._-]{1,249}$/,
  "a Kafka topic",
);

export const kafkaTopicPart = /* @__PURE__ */ matching(
  /^[a-zA-Z0-9._-]{0,249}$/,
  "a part of the name of a Kafka topic",
);

export const kafkaTopicPattern = /* @__PURE__ */ matching(
  /^[^\p{Cc}\p{Cs}]+$/u,
  "a selection of Kafka topics",
);

export const kafkaTopicSelection = /* @__PURE__ */ matching(
  /^(?!\.{1,2}(?::|$))[a-zA-Z0-9._-]{1,249}(?::\d+(?:-\d+)?)?$/,
  "a selection of Kafka topics",
);

export const keyHash = /* @__PURE__ */ matching(
  /^[0-9a-fA-F]{64}$/,
  "the SHA-256 of a key",
);

export const line = /* @__PURE__ */ matching(
  /^[^\r\n\0\p{Cs}]*$/u,
  "the value of a header",
);

export const mqttUnreservedFilter = /* @__PURE__ */ matching(
  /^(?!\$)(?:\$share\/[^/#+\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]+\/(?!$)|(?!\$share(?:\/|$)))(?:(?:\+|[^#+/\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]*)\/)*(?:#|\+|[^#+/\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]*)$/u,
  "an MQTT topic filter that is not reserved",
  65535,
);

export const mqttUnreservedTopic = /* @__PURE__ */ matching(
  /^(?!\$)(?=[\s\S])(?!\$share\/)[^#+/\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]*(?:\/[^#+/\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]*){0,199}$/u,
  "an MQTT topic to publish to that is not reserved",
  65535,
);

export const memcachedAddress = /* @__PURE__ */ matching(
  /^(?:(?:memcached):\/\/|(?![^/?#]*\/\/))(?:[^\s/?#@]*@)?(?:\[[0-9a-f:.]+\]|[^\s:/?#@,[\]\\]+)(?::(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])(?!\d))?(?:[/?#][^\r\n]*)?$/i,
  "the address of a memcached server",
);

export const memcachedPrefix = /* @__PURE__ */ matching(
  /^[^\0- \x7f\p{Cs}]*$/u,
  "the beginning of memcached keys",
  200,
);

export const mqttAddress = /* @__PURE__ */ matching(
  /^(?:(?:mqtt|mqtts|tcp|ssl|tls|ws|wss):\/\/|(?![^/?#]*\/\/))(?:[^\s/?#@]*@)?(?:\[[0-9a-f:.]+\]|[^\s:/?#@,[\]\\]+)(?::(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])(?!\d))?(?:[/?#][^\r\n]*)?$/i,
  "the address of an MQTT broker",
);

export const mqttFilter = /* @__PURE__ */ matching(
  /^(?:\$share\/[^/#+\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]+\/(?!$)|(?!\$share(?:\/|$)))(?:(?:\+|[^#+/\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]*)\/)*(?:#|\+|[^#+/\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]*)$/u,
  "an MQTT topic filter",
  65535,
);

export const mqttLevel = /* @__PURE__ */ matching(
  /^[^#+/,\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]+$/u,
  "one level of an MQTT topic without wildcards",
  65535,
);

export const mqttLiteral = /* @__PURE__ */ matching(
  /^(?!\$)[^#+,\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]+$/u,
  "an MQTT topic without wildcards",
  65535,
);

export const mqttText = /* @__PURE__ */ matching(
  /^[^\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]*$/u,
  "an MQTT string",
  65535,
);

export const mqttTopic = /* @__PURE__ */ matching(
  /^(?=[\s\S])(?!\$share\/)[^#+/\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]*(?:\/[^#+/\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]*){0,199}$/u,
  "an MQTT topic to publish to",
  65535,
);

export const mqttTopicPart = /* @__PURE__ */ matching(
  /^[^#+\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]*$/u,
  "a part of an MQTT topic to publish to",
  65535,
);

export const natsUnreservedFilter = /* @__PURE__ */ matching(
  /^(?!\$|_INBOX\.)(?:(?:\*|[^\s\p{Cc}\p{Cs}.*>]+)\.)*(?:\*|>|[^\s\p{Cc}\p{Cs}.*>]+)$/u,
  "a NATS subject that is not reserved",
  2048,
);

export const natsUnreservedSubject = /* @__PURE__ */ matching(
  /^(?!\$|_INBOX\.)[^\s\p{Cc}\p{Cs}.*>]+(?:\.[^\s\p{Cc}\p{Cs}.*>]+)*$/u,
  "a NATS subject to publish to that is not reserved",
  2048,
);

export const natsAddress = /* @__PURE__ */ matching(
  /^(?:(?:nats|tls|tcp):\/\/|(?![^/?#]*\/\/))(?:[^\s/?#@]*@)?(?:\[[0-9a-f:.]+\]|[^\s:/?#@,[\]\\]+)(?::(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])(?!\d))?(?:[/?#][^\r\n]*)?$/i,
  "the address of a NATS server",
);

export const natsBucket = /* @__PURE__ */ matching(
  /^[-\w]+$/,
  "the name of a NATS bucket",
  251,
);

export const natsFilter = /* @__PURE__ */ matching(
  /^(?:(?:\*|[^\s\p{Cc}\p{Cs}.*>]+)\.)*(?:\*|>|[^\s\p{Cc}\p{Cs}.*>]+)$/u,
  "a NATS subject",
  2048,
);

export const natsKey = /* @__PURE__ */ matching(
  /^[-/=\w]+(?:\.[-/=\w]+)*$/,
  "a key of a NATS bucket",
  1536,
);

export const natsKeyFilter = /* @__PURE__ */ matching(
  /^(?:(?:\*|[^\s\p{Cc}\p{Cs}.*>]+)\.)*(?:\*|>|[^\s\p{Cc}\p{Cs}.*>]+)$/u,
  "a key of a NATS bucket, or a pattern of keys",
  1536,
);

export const natsKeyPart = /* @__PURE__ */ matching(
  /^[-/=\w]+$/,
  "one part of a key of a NATS bucket",
  1536,
);

export const natsName = /* @__PURE__ */ matching(
  /^[^\s\p{Cc}\p{Cs}.*>/\\]+$/u,
  "the name of a stream or consumer",
  255,
);

export const natsQueue = /* @__PURE__ */ matching(
  /^[^\s\p{Cc}\p{Cs}]+$/u,
  "the name of a queue group",
  1024,
);

export const natsSubject = /* @__PURE__ */ matching(
  /^[^\s\p{Cc}\p{Cs}.*>]+(?:\.[^\s\p{Cc}\p{Cs}.*>]+)*$/u,
  "a NATS subject to publish to",
  2048,
);

export const natsSubjectPart = /* @__PURE__ */ matching(
  /^[^\s\p{Cc}\p{Cs}*>]*$/u,
  "a part of a NATS subject to publish to",
  2048,
);

export const natsToken = /* @__PURE__ */ matching(
  /^[^\s\p{Cc}\p{Cs}.*>]+$/u,
  "one token of a NATS subject without wildcards",
  2048,
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

export const redirectUri = /* @__PURE__ */ matching(
  /^(?:(?:https:\/\/(?:[^\s/?#@]*@)?(?:\[[0-9a-f:.]+\]|[^\s:/?#@,[\]\\]+)|http:\/\/(?:[^\s/?#@]*@)?(?:localhost|127\.0\.0\.1|\[::1\]))(?::(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])(?!\d))?(?:[/?][^\s#]*)?|[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:[^\s#]*)$/i,
  "a redirect URI",
  2048,
);

export const redisAddress = /* @__PURE__ */ matching(
  /^(?:redis|rediss|tcp):\/\/(?:[^\s/?#@]*@)?(?:\[[0-9a-f:.]+\]|[^\s:/?#@,[\]\\]+)(?::(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])(?!\d))?(?:[/?#][^\r\n]*)?$/i,
  "the address of a Redis server",
);

export const redisAddresses = /* @__PURE__ */ matching(
  /^(?:redis|rediss|tcp):\/\/(?:[^\s/?#@]*@)?(?:\[[0-9a-f:.]+\]|[^\s:/?#@,[\]\\]+)(?::(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])(?!\d))?(?:[/?#][^\r\n,]*)?(?:,(?:redis|rediss|tcp):\/\/(?:[^\s/?#@]*@)?(?:\[[0-9a-f:.]+\]|[^\s:/?#@,[\]\\]+)(?::(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])(?!\d))?(?:[/?#][^\r\n,]*)?)*$/i,
  "the address of a Redis server, or several with commas",
);

export const redisAllowedCommand = /* @__PURE__ */ matching(
  /^(?!(?:[ps]?(?:un)?subscribe|monitor|multi|exec|discard|watch|unwatch|select|auth|hello|quit|reset|client|p?sync|replconf|asking|readonly|readwrite|shutdown|debug|b[lr]pop|b[lr]move|brpoplpush|blmpop|bzpopm(?:in|ax)|bzmpop|wait|waitaof)(?: |$))[a-z][a-z0-9._-]*(?: [a-z][a-z0-9._-]*)?$/i,
  "a Redis command for a shared connection, with its subcommand where it has some",
  64,
);

export const redisCommand = /* @__PURE__ */ matching(
  /^(?!(?:[ps]?(?:un)?subscribe|monitor|multi|exec|discard|watch|unwatch|select|auth|hello|quit|reset|client|p?sync|replconf|asking|readonly|readwrite|shutdown|debug|b[lr]pop|b[lr]move|brpoplpush|blmpop|bzpopm(?:in|ax)|bzmpop|wait|waitaof)(?: |$))[a-z][a-z0-9._-]*$/i,
  "a Redis command for a shared connection",
  64,
);

export const redisKey = /* @__PURE__ */ matching(
  /^[^\p{Cs}]+$/u,
  "the name of a Redis key",
  65536,
);

export const redisLiteral = /* @__PURE__ */ matching(
  /^[^*?[\]\\^\p{Cs}]+$/u,
  "the name of a Redis key without wildcards",
  65536,
);

export const redisOptionalKey = /* @__PURE__ */ matching(
  /^[^\p{Cs}]*$/u,
  "the name of a Redis key",
  65536,
);

export const redisOptionalPattern = /* @__PURE__ */ matching(
  /^[^\p{Cs}]*$/u,
  "a pattern of Redis keys",
  65536,
);

export const redisPattern = /* @__PURE__ */ matching(
  /^[^\p{Cs}]+$/u,
  "a pattern of Redis keys",
  65536,
);

export const smtpAddress = /* @__PURE__ */ matching(
  /^smtps?:\/\/(?:[^\s/?#@]*@)?(?:\[[0-9A-Fa-f:.]+\]|[^\s/?#@:[\]]+)(?::\d{1,5})?\/?$/,
  "the address of a mail server",
);

export const socketUrl = /* @__PURE__ */ matching(
  /^(?:ws|wss):\/\/(?:[^\s/?#@]*@)?(?:\[[0-9a-f:.]+\]|[^\s:/?#@,[\]\\]+)(?::(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])(?!\d))?(?:[/?#][^\r\n]*)?$/i,
  "the address of a WebSocket server",
);

export const sqlName = /* @__PURE__ */ matching(
  /^(?:[\p{L}_][\p{L}\p{N}_$]*|"[^"\p{Cc}\p{Cs}]+")(?:\.(?:[\p{L}_][\p{L}\p{N}_$]*|"[^"\p{Cc}\p{Cs}]+")){0,2}$/u,
  "the name of a table or column",
  512,
);

export const storeAddress = /* @__PURE__ */ matching(
  /^(?:sqlite:(?!\/\/$).+|postgres(?:ql)?:\/\/\S+)$/,
  "the address of a store",
);

export const truth = /* @__PURE__ */ matching(
  /^(?:1|0|t|f|T|F|true|false|TRUE|FALSE|True|False)$/,
  "a boolean",
);

export const webhookSecret = /* @__PURE__ */ matching(
  /^(?:whsec_[A-Za-z0-9+/]{22,86}={0,2}|(?!whsec_)[\s\S]{8,512})$/,
  "the secret of a webhook",
);
