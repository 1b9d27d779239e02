import { port, portFaults } from "./addresses.ts";
import { type Format, unreserved } from "./format.ts";

const name = "(?!\\.{1,2}(?::|$))[a-zA-Z0-9._-]{1,249}";

const nameFaults = [
  [/\s/, "a topic cannot contain spaces"],
  [/^[^:]{250}/, "a topic has at most 249 characters"],
  [/^\.{1,2}$/, "`.` and `..` are reserved"],
] as const;

/** The name of a topic. */
export const kafkaTopic: Format = {
  title: "a Kafka topic",
  pattern: new RegExp(`^${name}$`),
  faults: nameFaults,
  otherwise: "a topic consists of letters, digits, `.`, `_` and `-`",
  example: "orders.new",
};

/** Internal topics of brokers, such as `__consumer_offsets`. */
const reserved = ["__", "topics with `__` are reserved for the brokers"] as const;

/** A topic that messages or requests may choose. */
export const kafkaUnreservedTopic = unreserved(kafkaTopic, ...reserved);

/** A part of a topic's name. */
export const kafkaTopicPart: Format = {
  title: "a part of the name of a Kafka topic",
  pattern: /^[a-zA-Z0-9._-]{0,249}$/,
  faults: [],
  otherwise: kafkaTopic.otherwise,
  example: "orders",
};

/** A topic to read, some of its partitions or, if the document enables it, a regular expression for topics. */
export const kafkaTopicPattern: Format = {
  title: "a selection of Kafka topics",
  pattern: /^[^\p{Cc}\p{Cs}]+$/u,
  faults: [],
  otherwise: "it contains control characters or unpaired surrogates",
  example: "orders:0-3",
};

/** A selection of topics that requests may make. */
export const kafkaUnreservedTopicPattern = unreserved(kafkaTopicPattern, ...reserved);

/** Text that is literal at any position in a regular expression for topics. */
export const kafkaPatternLiteral: Format = {
  title: "literal text in a pattern of Kafka topics",
  pattern: /^(?!__)[a-zA-Z0-9_-]{1,249}$/,
  faults: [
    [/^__/, reserved[1]],
    [/\./, "a dot is a wildcard in patterns"],
  ],
  otherwise: "only letters, digits, `_` and `-` are literal in patterns",
  example: "orders",
};

/** The name of a client, a consumer group or a rack. */
export const kafkaName: Format = {
  title: "a Kafka name",
  pattern: /^[^\p{Cc}\p{Cs}]*$/u,
  faults: [],
  otherwise: "it contains control characters",
  longest: 255,
  example: "billing",
};

/** A topic to read, or some of its partitions: `orders`, `orders:0`, `orders:0-3`. */
export const kafkaTopicSelection: Format = {
  title: "a selection of Kafka topics",
  pattern: new RegExp(`^${name}(?::\\d+(?:-\\d+)?)?$`),
  faults: [...nameFaults, [/^[a-zA-Z0-9._-]+:/, "partitions are numbers, as in `orders:0` or `orders:0-3`"]],
  otherwise: kafkaTopic.otherwise,
  example: "orders:0-3",
};

/** The same with an initial offset: `orders:0:170`. */
export const kafkaTopicOffset: Format = {
  ...kafkaTopicSelection,
  pattern: new RegExp(`^${name}(?::\\d+(?:-\\d+)?(?::\\d{1,19})?)?$`),
};

/** A topic that a request may choose to read. */
export const kafkaUnreservedTopicSelection = unreserved(kafkaTopicSelection, ...reserved);

/** A broker as `host:port`: Kafka's protocol has no scheme and no default port. */
export const kafkaAddress: Format = {
  title: "the address of a Kafka broker",
  pattern: new RegExp(`^(?:\\[[0-9a-fA-F:.]+\\]|[^\\s:/?#@,[\\]\\\\]+):${port}$`),
  faults: [
    [/:\/\//, "the address of a Kafka broker has no scheme"],
    [/\s/, "it contains a space"],
    [/@/, "the address of a Kafka broker has no user"],
    [/^[^:]+$|\]$/, "the port is missing"],
    ...portFaults,
    [/\//, "the address of a Kafka broker has no path"],
  ],
  otherwise: "it must be `host:port`",
  example: "localhost:9092",
};
