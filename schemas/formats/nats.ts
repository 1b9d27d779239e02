import { addressFormat } from "./addresses.ts";
import { type Format, unreserved } from "./format.ts";

const blanks = [/\s/, "subjects hold no blanks"] as const;
const unprintable = [
  /[\p{Cc}\p{Cs}]/u,
  "control characters and halves of characters cannot be sent",
] as const;
const emptyTokens = [/^\.|\.\.|\.$/, "there is nothing between two of its dots, or at an end"] as const;

/**
 * Bytes of a subject. A server ends the connection over a line of the protocol that is longer than its
 * `max_control_line` (4096 by default), and the line holds a subject for answers, or names of JetStream, besides.
 */
const longest = 2048;

/** A subject to publish to: tokens with dots between them. */
export const natsSubject: Format = {
  title: "a NATS subject to publish to",
  pattern: /^[^\s\p{Cc}\p{Cs}.*>]+(?:\.[^\s\p{Cc}\p{Cs}.*>]+)*$/u,
  faults: [blanks, [/[*>]/, "`*` and `>` are for subscriptions"], unprintable],
  otherwise: emptyTokens[1],
  longest,
  example: "orders.new",
};

/** What servers answer at (`$JS.API`, `$SYS`, `$KV`), and the subjects of answers. */
const reserved = ["\\$|_INBOX\\.", "`$` and `_INBOX.` begin subjects of the server"] as const;

/** A subject to publish to that messages or requests may choose. */
export const natsUnreservedSubject = unreserved(natsSubject, ...reserved);

/** A piece of a subject to publish to, from one character on. */
export const natsSubjectPart: Format = {
  title: "a part of a NATS subject to publish to",
  pattern: /^[^\s\p{Cc}\p{Cs}*>]*$/u,
  faults: [blanks, unprintable],
  otherwise: "`*` and `>` are for subscriptions",
  longest,
  example: "orders.new",
};

/** One token of a subject, or a piece of one. */
export const natsToken: Format = {
  title: "one token of a NATS subject without wildcards",
  pattern: /^[^\s\p{Cc}\p{Cs}.*>]+$/u,
  faults: [blanks, [/\./, "dots stand between tokens"], unprintable],
  otherwise: "`*` and `>` are wildcards",
  longest,
  example: "new",
};

/** What to subscribe to: `*` is one token, `>` all from there on. */
export const natsFilter: Format = {
  title: "a NATS subject",
  pattern: /^(?:(?:\*|[^\s\p{Cc}\p{Cs}.*>]+)\.)*(?:\*|>|[^\s\p{Cc}\p{Cs}.*>]+)$/u,
  faults: [
    blanks,
    unprintable,
    [/[^.]>/, "`>` is a token of its own, as in `orders.>`"],
    [/>(?!$)/, "`>` stands only at the end"],
    [/[^.]\*|\*[^.]/, "`*` is a token of its own, as in `orders.*.new`"],
  ],
  otherwise: emptyTokens[1],
  longest,
  example: "orders.*.new",
};

/** What a request may subscribe to. */
export const natsUnreservedFilter = unreserved(natsFilter, ...reserved);

/** A queue group. */
export const natsQueue: Format = {
  title: "the name of a queue group",
  pattern: /^[^\s\p{Cc}\p{Cs}]+$/u,
  faults: [unprintable],
  otherwise: "such names hold no blanks",
  longest: 1024,
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
  pattern: /^[^\s\p{Cc}\p{Cs}.*>/\\]+$/u,
  faults: [[/\s/, "such names hold no blanks"], unprintable],
  otherwise: "such names hold no dots, slashes and wildcards",
  longest: 255,
  example: "ORDERS",
};

/** A part of a key, of a bucket. */
export const natsKeyPart: Format = {
  title: "one part of a key of a NATS bucket",
  pattern: /^[-/=\w]+$/,
  faults: [[/[*>]/, "`*` and `>` are wildcards"]],
  otherwise: "such parts are made of letters, digits, `-`, `/`, `=`, `_`",
  longest: 1536,
  example: "42",
};

/** A key-value bucket. */
export const natsBucket: Format = {
  title: "the name of a NATS bucket",
  pattern: /^[-\w]+$/,
  faults: [],
  otherwise: "buckets are named by letters, digits, `_` and `-`",
  longest: 251, // the stream behind it has `KV_` before the name
  example: "settings",
};

/** A key of a bucket. */
export const natsKey: Format = {
  title: "a key of a NATS bucket",
  pattern: /^[-/=\w]+(?:\.[-/=\w]+)*$/,
  faults: [[/[*>]/, "`*` and `>` are for watching"]],
  otherwise: "keys are made of letters, digits, `-`, `/`, `=`, `_`, with dots between parts",
  longest: 1536,
  example: "users.42",
};

/** What of a bucket is watched: a key, `*` for one part of it, `>` for all that follow. */
export const natsKeyFilter: Format = {
  title: "a key of a NATS bucket, or a pattern of keys",
  pattern: natsFilter.pattern,
  faults: natsFilter.faults,
  otherwise: natsFilter.otherwise,
  longest: 1536,
  example: "users.*",
};
