import { addressFormat, beginnings, portFaults } from "./addresses.ts";
import type { Format } from "./format.ts";

/** A Redis server. */
export const redisAddress: Format = addressFormat(["redis", "rediss", "tcp"], {
  title: "the address of a Redis server",
  example: "redis://localhost:6379",
  isSchemeOptional: false,
});

const server = redisAddress.pattern.source.slice(1, -1).replace("[^\\r\\n]*", "[^\\r\\n,]*");

/** One Redis server, or several separated by commas. */
export const redisAddresses: Format = {
  title: "the address of a Redis server, or several with commas",
  pattern: new RegExp(`^${server}(?:,${server})*$`, "i"),
  faults: [
    [/^\s|\s$/, "it has spaces around it"],
    [/^(?!(?:redis|rediss|tcp):\/\/)/i, "it must start with `redis://`, `rediss://` or `tcp://`"],
    [/,(?!(?:redis|rediss|tcp):\/\/)/i, "behind each comma another address has to follow"],
    ...portFaults,
  ],
  otherwise: "it is malformed",
  example: "redis://a:26379,redis://b:26379",
  fillings: [...beginnings(["redis"]), ",redis://a", "1,", "1,r", "1", "a"],
};

const halves = "it contains unpaired surrogates";

/** A key, a channel, a stream or a group: any text that UTF-8 can encode. */
export const redisKey: Format = {
  title: "the name of a Redis key",
  pattern: /^[^\p{Cs}]+$/u,
  faults: [],
  otherwise: halves,
  longest: 65_536,
  example: "orders",
};

/** A key, or an empty text. */
export const redisOptionalKey: Format = { ...redisKey, pattern: /^[^\p{Cs}]*$/u };

/** A pattern of keys or channels; `*`, `?` and `[…]` are wildcards, and a backslash escapes the next character. */
export const redisPattern: Format = {
  title: "a pattern of Redis keys",
  pattern: /^[^\p{Cs}]+$/u,
  faults: [],
  otherwise: halves,
  longest: 65_536,
  example: "orders.*",
};

/** A pattern, or an empty text. */
export const redisOptionalPattern: Format = { ...redisPattern, pattern: /^[^\p{Cs}]*$/u };

/** A key or channel in a field that takes patterns, without special characters. */
export const redisLiteral: Format = {
  title: "the name of a Redis key without wildcards",
  pattern: /^[^*?[\]\\^\p{Cs}]+$/u,
  faults: [],
  otherwise: "it contains wildcards",
  longest: 65_536,
  example: "orders",
};

/** Commands that cannot be sent over a shared connection. */
const unfit =
  "(?!(?:[ps]?(?:un)?subscribe|monitor|multi|exec|discard|watch|unwatch|select|auth|hello|quit|reset|client|p?sync|replconf|asking|readonly|readwrite|shutdown|debug|b[lr]pop|b[lr]move|brpoplpush|blmpop|bzpopm(?:in|ax)|bzmpop|wait|waitaof)(?: |$))";

/**
 * A command that can be sent over a shared connection: it does not block or end the connection, change the meaning of
 * later commands, or stop the server.
 */
export const redisCommand: Format = {
  title: "a Redis command for a shared connection",
  pattern: new RegExp(`^${unfit}[a-z][a-z0-9._-]*$`, "i"),
  faults: [[/^[^a-z]|[^a-z0-9._-]/i, "it consists of letters, digits, `.`, `_` and `-`"]],
  otherwise: "it would block the connection, end it or change what later commands mean",
  longest: 64,
  example: "hgetall",
};

/** A command, with its subcommand if it has several: `config get`. */
export const redisAllowedCommand: Format = {
  ...redisCommand,
  title: "a Redis command for a shared connection, with its subcommand where it has some",
  pattern: new RegExp(`^${unfit}[a-z][a-z0-9._-]*(?: [a-z][a-z0-9._-]*)?$`, "i"),
  faults: [],
  example: "config get",
};
