import { addressFormat } from "./addresses.ts";
import type { Format } from "./format.ts";

const blanks = [/\s/, "subjects hold no blanks"] as const;
const emptyTokens = [/^\.|\.\.|\.$/, "there is nothing between two of its dots, or at an end"] as const;

/** A subject to publish to: tokens with dots between them. */
export const natsSubject: Format = {
  title: "a NATS subject to publish to",
  pattern: /^[^\s.*>]+(?:\.[^\s.*>]+)*$/,
  faults: [blanks, [/[*>]/, "`*` and `>` are for subscriptions"]],
  otherwise: emptyTokens[1],
  example: "orders.new",
};

/** What to subscribe to: `*` is one token, `>` all from there on. */
export const natsFilter: Format = {
  title: "a NATS subject",
  pattern: /^(?:(?:\*|[^\s.*>]+)\.)*(?:\*|>|[^\s.*>]+)$/,
  faults: [
    blanks,
    [/[^.]>/, "`>` is a token of its own, as in `orders.>`"],
    [/>(?!$)/, "`>` stands only at the end"],
    [/[^.]\*|\*[^.]/, "`*` is a token of its own, as in `orders.*.new`"],
  ],
  otherwise: emptyTokens[1],
  example: "orders.*.new",
};

/** A queue group. */
export const natsQueue: Format = {
  title: "the name of a queue group",
  pattern: /^\S+$/,
  faults: [],
  otherwise: "such names hold no blanks",
  example: "workers",
};

/** A server; without a scheme it is reached over plain TCP. */
export const natsAddress = addressFormat(["nats", "tls", "tcp"], {
  title: "the address of a NATS server",
  example: "nats://localhost:4222",
  isSchemeOptional: true,
});

/** A stream or a consumer. */
export const natsName: Format = {
  title: "the name of a stream or consumer",
  pattern: /^[^\s.*>/\\]+$/,
  faults: [[/\s/, "such names hold no blanks"]],
  otherwise: "such names hold no dots, slashes and wildcards",
  example: "ORDERS",
};

/** A key-value bucket. */
export const natsBucket: Format = {
  title: "the name of a NATS bucket",
  pattern: /^[-\w]+$/,
  faults: [],
  otherwise: "buckets are named by letters, digits, `_` and `-`",
  example: "settings",
};

/** A key of a bucket. */
export const natsKey: Format = {
  title: "a key of a NATS bucket",
  pattern: /^[-/=\w]+(?:\.[-/=\w]+)*$/,
  faults: [[/[*>]/, "`*` and `>` are for watching"]],
  otherwise: "keys are made of letters, digits, `-`, `/`, `=`, `_`, with dots between parts",
  example: "users.42",
};
