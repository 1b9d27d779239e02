import { port, portFaults } from "./addresses.ts";
import { type Format, unreserved } from "./format.ts";

const name = "(?!\\.{1,2}(?::|$))[a-zA-Z0-9._-]{1,249}";

const nameFaults = [
  [/\s/, "topics hold no blanks"],
  [/^[^:]{250}/, "topics have at most 249 characters"],
  [/^\.{1,2}$/, "`.` and `..` are reserved"],
] as const;

/** A topic by its name alone. */
export const kafkaTopic: Format = {
  title: "a Kafka topic",
  pattern: new RegExp(`^${name}$`),
  faults: nameFaults,
  otherwise: "topics are made of letters, digits, `.`, `_` and `-`",
  example: "orders.new",
};

/** Topics that brokers keep their own state in, such as `__consumer_offsets`. */
const reserved = ["__", "`__` begins topics of the brokers"] as const;

/** A topic that messages or requests may choose. */
export const kafkaUnreservedTopic = unreserved(kafkaTopic, ...reserved);

/** A piece of a topic's name. */
export const kafkaTopicPart: Format = {
  title: "a part of the name of a Kafka topic",
  pattern: /^[a-zA-Z0-9._-]{0,249}$/,
  faults: [],
  otherwise: kafkaTopic.otherwise,
  example: "orders",
};

/** A topic to read, some of its partitions, or, where a document says so, a regular expression of topics. */
export const kafkaTopicPattern: Format = {
  title: "a choice of Kafka topics",
  pattern: /^[^\p{Cc}\p{Cs}]+$/u,
  faults: [],
  otherwise: "control characters and halves of characters cannot be sent",
  example: "orders:0-3",
};

/** A choice of topics that requests may make. */
export const kafkaUnreservedTopicPattern = unreserved(kafkaTopicPattern, ...reserved);

/** What a regular expression of topics takes literally, wherever it stands there. */
export const kafkaPatternLiteral: Format = {
  title: "text that is literal in a pattern of Kafka topics",
  pattern: /^(?!__)[a-zA-Z0-9_-]{1,249}$/,
  faults: [
    [/^__/, reserved[1]],
    [/\./, "a dot is a wildcard in patterns"],
  ],
  otherwise: "only letters, digits, `_` and `-` are literal in patterns",
  example: "orders",
};

/** A client, a consumer group, a rack: what brokers show and keep. */
export const kafkaName: Format = {
  title: "a name that Kafka takes",
  pattern: /^[^\p{Cc}\p{Cs}]*$/u,
  faults: [],
  otherwise: "such names hold no control characters",
  longest: 255,
  example: "billing",
};

/** A topic to read, or some of its partitions: `orders`, `orders:0`, `orders:0-3`. */
export const kafkaTopicSelection: Format = {
  title: "a choice of Kafka topics",
  pattern: new RegExp(`^${name}(?::\\d+(?:-\\d+)?)?$`),
  faults: [...nameFaults, [/^[a-zA-Z0-9._-]+:/, "partitions are numbers, as in `orders:0` or `orders:0-3`"]],
  otherwise: kafkaTopic.otherwise,
  example: "orders:0-3",
};

/** What a request may choose to read. */
export const kafkaUnreservedTopicSelection = unreserved(kafkaTopicSelection, ...reserved);

/** A broker as `host:port`: Kafka's protocol has no scheme, and no port of its own. */
export const kafkaAddress: Format = {
  title: "the address of a Kafka broker",
  pattern: new RegExp(`^(?:\\[[0-9a-fA-F:.]+\\]|[^\\s:/?#@,[\\]\\\\]+):${port}$`),
  faults: [
    [/:\/\//, "such addresses have no scheme"],
    [/\s/, "such addresses hold no blanks"],
    [/@/, "such addresses name no user"],
    [/^[^:]+$|\]$/, "it needs a port"],
    ...portFaults,
    [/\//, "such addresses have no path"],
  ],
  otherwise: "it has to be `host:port`",
  example: "localhost:9092",
};
