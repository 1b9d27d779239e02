import { port, portFaults } from "./addresses.ts";
import type { Format } from "./format.ts";

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

/** A topic to read, or some of its partitions: `orders`, `orders:0`, `orders:0-3`. */
export const kafkaTopicSelection: Format = {
  title: "a choice of Kafka topics",
  pattern: new RegExp(`^${name}(?::\\d+(?:-\\d+)?)?$`),
  faults: [...nameFaults, [/^[a-zA-Z0-9._-]+:/, "partitions are numbers, as in `orders:0` or `orders:0-3`"]],
  otherwise: kafkaTopic.otherwise,
  example: "orders:0-3",
};

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
