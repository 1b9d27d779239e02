import { addressFormat } from "./addresses.ts";
import { type Format, unreserved } from "./format.ts";

const blanks = [/\s/, "a subject cannot contain spaces"] as const;
const unprintable = [/[\p{Cc}\p{Cs}]/u, "it contains control characters or unpaired surrogates"] as const;
const emptyTokens = [/^\.|\.\.|\.$/, "it has an empty token"] as const;

/**
 * Maximum length of a subject in bytes. A server closes the connection if a line of the protocol is longer than its
 * `max_control_line` (4096 by default). The line also contains a reply subject, or names of JetStream.
 */
const longest = 2048;

/** A subject to publish to: tokens separated by dots. */
export const natsSubject: Format = {
  title: "a NATS subject to publish to",
  pattern: /^[^\s\p{Cc}\p{Cs}.*>]+(?:\.[^\s\p{Cc}\p{Cs}.*>]+)*$/u,
  faults: [blanks, [/[*>]/, "the wildcards `*` and `>` are only for subscriptions"], unprintable],
  otherwise: emptyTokens[1],
  longest,
  example: "orders.new",
};

/** Subjects of the server (`$JS.API`, `$SYS`, `$KV`), and reply subjects. */
const reserved = ["\\$|_INBOX\\.", "subjects with `$` or `_INBOX.` are reserved for the server"] as const;

/** A subject to publish to that messages or requests may choose. */
export const natsUnreservedSubject = unreserved(natsSubject, ...reserved);

/** A part of a subject to publish to; it may be a single character. */
export const natsSubjectPart: Format = {
  title: "a part of a NATS subject to publish to",
  pattern: /^[^\s\p{Cc}\p{Cs}*>]*$/u,
  faults: [blanks, unprintable],
  otherwise: "the wildcards `*` and `>` are only for subscriptions",
  longest,
  example: "orders.new",
};

/** One token of a subject, or a part of one. */
export const natsToken: Format = {
  title: "one token of a NATS subject without wildcards",
  pattern: /^[^\s\p{Cc}\p{Cs}.*>]+$/u,
  faults: [blanks, [/\./, "dots separate tokens"], unprintable],
  otherwise: "`*` and `>` are wildcards",
  longest,
  example: "new",
};

/** A subject to subscribe to: `*` is one token, `>` all following tokens. */
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

/** A subject that a request may subscribe to. */
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

/** A server; without a scheme, the connection uses plain TCP. */
export const natsAddress = addressFormat(["nats", "tls", "tcp"], {
  title: "the address of a NATS server",
  example: "nats://localhost:4222",
  isSchemeOptional: true,
});

/** The name of a stream or a consumer. */
export const natsName: Format = {
  title: "the name of a stream or consumer",
  pattern: /^[^\s\p{Cc}\p{Cs}.*>/\\]+$/u,
  faults: [[/\s/, "it contains spaces"], unprintable],
  otherwise: "it contains dots, slashes or wildcards",
  longest: 255,
  example: "ORDERS",
};

/** A part of a key of a bucket. */
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
  longest: 251, // its stream is named `KV_` followed by this name
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

/** The keys of a bucket to watch: a key, with `*` for one part of it and `>` for all following parts. */
export const natsKeyFilter: Format = {
  title: "a key of a NATS bucket, or a pattern of keys",
  pattern: natsFilter.pattern,
  faults: natsFilter.faults,
  otherwise: natsFilter.otherwise,
  longest: 1536,
  example: "users.*",
};
