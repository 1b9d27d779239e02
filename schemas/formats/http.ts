import type { Format } from "./format.ts";

/** The name of a header: a token of RFC 9110. */
export const headerName: Format = {
  title: "the name of a header",
  pattern: /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/,
  faults: [
    [/\s/, "a header name cannot contain spaces"],
    [/:/, "a header name does not include the colon"],
  ],
  otherwise: "a header name consists of letters, digits and `-`",
  example: "X-Order",
};

/** The value of a request header. Whitespace and line breaks around it are removed when it is sent. */
export const headerValue: Format = {
  title: "the value of a header",
  pattern: /^[\t\n\r ]*(?:[\x21-\x7e\x80-\xff]+(?:[\t ]+[\x21-\x7e\x80-\xff]+)*[\t\n\r ]*)?$/,
  faults: [[/\S[^\S\r\n]*[\r\n]\s*\S/, "a header value is a single line"]],
  otherwise: "a header value consists of Latin-1 characters",
  example: "application/json",
};

/** The name of a host in requests, without a port (RFC 1123, section 2.1). */
export const hostName: Format = {
  title: "the name of a host",
  pattern:
    /^(?=[^.]*[A-Za-z]|.*\.[^.]*[A-Za-z])(?:[0-9A-Za-z](?:[0-9A-Za-z_-]{0,61}[0-9A-Za-z])?\.)*[0-9A-Za-z](?:[0-9A-Za-z_-]{0,61}[0-9A-Za-z])?\.?$/,
  faults: [
    [/^\w+:\/\//, "it must not include `https://`"],
    [/:/, "it must not include a port"],
    [/\//, "it must not include a path"],
    [/\*/, "wildcards are not supported"],
  ],
  otherwise: "a host name consists of letters, digits, `-` and dots",
  example: "orders.example.com",
};

/** The name of a host, or `*.` and a domain for all names below it. */
export const hostPattern: Format = {
  title: "the name of a host, or `*.` and a domain",
  pattern: new RegExp(`^(?:\\*\\.)?${hostName.pattern.source.slice(1)}`),
  faults: [...hostName.faults.slice(0, -1), [/\*(?!\.)|.\*/, "`*.` stands in front of a domain"]],
  otherwise: hostName.otherwise,
  example: "*.acme.example",
};

/** A host, or `*.` and a domain for all hosts below it, with a port or at the default port. */
export const allowedHost: Format = {
  title: "a host that requests may go to",
  pattern: /^(?:\*\.)?[0-9A-Za-z_[\]:.-]+$/,
  faults: [
    [/^\w+:\/\//, "it must not include `https://`"],
    [/\//, "it must not include a path"],
    [/@/, "it must not include a user"],
    [/\*/, "`*` is supported only as `*.` before a domain"],
  ],
  otherwise: "a host name consists of letters, digits, `-` and dots",
  example: "api.example.com",
};

/** The value of a header of a message, which may be any single line of text. */
export const lineOfText: Format = {
  title: "the value of a header",
  // Excludes line breaks, NUL, at which brokers end headers, and unpaired surrogates, which cannot be encoded.
  pattern: /^[^\r\n\0\p{Cs}]*$/u,
  faults: [],
  otherwise: "a header value is a single line",
  example: "application/json",
};
