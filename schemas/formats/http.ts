import type { Format } from "./format.ts";

/** Name of a header: a token of RFC 9110. */
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

/** Value of a header of a request. Blanks and line breaks around it are taken off when it is sent. */
export const headerValue: Format = {
  title: "the value of a header",
  pattern: /^[\t\n\r ]*(?:[\x21-\x7e\x80-\xff]+(?:[\t ]+[\x21-\x7e\x80-\xff]+)*[\t\n\r ]*)?$/,
  faults: [[/\S[^\S\r\n]*[\r\n]\s*\S/, "a header value is a single line"]],
  otherwise: "a header value consists of Latin-1 characters",
  example: "application/json",
};

/** Name of a host, as requests ask for it (RFC 1123, section 2.1): without a port. */
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

/** Name of a host, or with `*.` in front all names below a domain. */
export const hostPattern: Format = {
  title: "the name of a host, or `*.` and a domain",
  pattern: new RegExp(`^(?:\\*\\.)?${hostName.pattern.source.slice(1)}`),
  faults: [...hostName.faults.slice(0, -1), [/\*(?!\.)|.\*/, "`*.` stands in front of a domain"]],
  otherwise: hostName.otherwise,
  example: "*.acme.example",
};

/** A server, or with `*.` in front all below a domain, with a port or at the usual one. */
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

/** Value of a header of a message, which may be any text of one line. */
export const lineOfText: Format = {
  title: "the value of a header",
  // Line ends, and NUL, where brokers end headers; halves of characters have no bytes.
  pattern: /^[^\r\n\0\p{Cs}]*$/u,
  faults: [],
  otherwise: "a header value is a single line",
  example: "application/json",
};
