import { addressFormat } from "./addresses.ts";
import { type Format, unreserved } from "./format.ts";

const blanks = [/\s/, "a subject cannot contain spaces"] as const;
const unprintable = [/[\p{Cc}\p{Cs}]/u, "it contains control characters or unpaired surrogates"] as const;
const emptyTokens = [/^\.|\.\.|\.$/, "it has an empty token"] as const;

/**
 * Bytes of a subject. A server ends the connection over a line of the protocol that is longer than its
 * `max_control_line` (4096 by default), and the line holds a subject for answers, or names of JetStream, besides.
 */
const longest = 2048;

/** A subject to publish to: tokens with dots between them. */
export const natsSubject: Format = {
  title: "a NATS subject to publish to",
  pattern: /^[^\s\p{Cc}\p{Cs}.*>]+(?:\.[^\s\p{Cc}\p{Cs}.*>]+)*$/u,
  faults: [blanks, [/[*>]/, "the wildcards `*` and `>` are only for subscriptions"], unprintable],
  otherwise: emptyTokens[1],
  longest,
  example: "orders.new",
};

/** What servers answer at (`$JS.API`, `$SYS`, `$KV`), and the subjects of answers. */
const reserved = ["\\$|_INBOX\\.", "subjects with `$` or `_INBOX.` are reserved for the server"] as const;

/** A subject to publish to that messages or requests may choose. */
export const natsUnreservedSubject = unreserved(natsSubject, ...reserved);

/** A piece of a subject to publish to, from one character on. */
export const natsSubjectPart: Format = {
  title: "a part of a NATS subject to publish to",
  pattern: /^[^\s\p{Cc}\p{Cs}*>]*$/u,
  faults: [blanks, unprintable],
  otherwise: "the wildcards `*` and `>` are only for subscriptions",
  longest,
  example: "orders.new",
};

/** One token of a subject, or a piece of one. */
export const natsToken: Format = {
  title: "one token of a NATS subject without wildcards",
  pattern: /^[^\s\p{Cc}\p{Cs}.*>]+$/u,
  faults: [blanks, [/\./, "dots separate tokens"], unprintable],
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
    [/[^.]>/, "`>` must be a complete token, as in `orders.>`"],
    [/>(?!$)/, "`>` must be the last token"],
    [/[^.]\*|\*[^.]/, "`*` must be a complete token, as in `orders.*.new`"],
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
  otherwise: "it contains spaces",
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
  faults: [[/\s/, "it contains spaces"], unprintable],
  otherwise: "it contains dots, slashes or wildcards",
  longest: 255,
  example: "ORDERS",
};

/** A part of a key, of a bucket. */
export const natsKeyPart: Format = {
  title: "one part of a key of a NATS bucket",
  pattern: /^[-/=\w]+$/,
  faults: [[/[*>]/, "`*` and `>` are wildcards"]],
  otherwise: "it must consist of letters, digits, `-`, `/`, `=` and `_`",
  longest: 1536,
  example: "42",
};

/** A key-value bucket. */
export const natsBucket: Format = {
  title: "the name of a NATS bucket",
  pattern: /^[-\w]+$/,
  faults: [],
  otherwise: "the name of a bucket consists of letters, digits, `_` and `-`",
  longest: 251, // the stream behind it has `KV_` before the name
  example: "settings",
};

/** A key of a bucket. */
export const natsKey: Format = {
  title: "a key of a NATS bucket",
  pattern: /^[-/=\w]+(?:\.[-/=\w]+)*$/,
  faults: [[/[*>]/, "the wildcards `*` and `>` are only for inputs"]],
  otherwise: "a key consists of letters, digits, `-`, `/`, `=` and `_`, with dots between parts",
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
