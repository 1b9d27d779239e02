// Error responses, on ordinary responses and on sockets of refused upgrades.

import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { GatewayError, toGatewayError } from "../errors.ts";
import type { Logger } from "../process/log.ts";
import { requestIdOf } from "./request-origin.ts";

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Returns the response for an error: `{"error": message}` with its fields, status and headers, and the request id. */
export function errorAnswer(error: GatewayError, requestId?: string): Answer {
  // Only errors about a message contain text of the reference implementation's parsers.
  const text = error.status === 422 ? plainWords(error.answer) : error.answer;
  const body = JSON.stringify({ error: text, ...error.fields });
  const headers = {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(requestId !== undefined && { "x-request-id": requestId }),
    ...(error.retryAfter !== undefined && { "retry-after": String(Math.ceil(error.retryAfter)) }),
    ...error.headers,
  };
  return { status: error.status, headers, body };
}

/** Returns the error for a request whose head or body did not arrive within `time` milliseconds. */
export function lateRequest(time: number): GatewayError {
  return new GatewayError(408, `The request did not arrive within ${time / 1000} s`);
}

/** Responds with an error; destroys the connection if the response has begun. */
export function answerError(response: ServerResponse, error: GatewayError): void {
  if (response.destroyed || response.writableEnded) return;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, headers, body } = errorAnswer(error, requestIdOf(response.req));
  response.writeHead(status, headers).end(body);
}

/** Milliseconds in which a client may still send after its connection was refused. */
const lingering = 1_000;

/** Refuses an upgrade, or a request that cannot be read, with an error and closes the connection. */
export function answerUpgrade(socket: Duplex, error: GatewayError, requestId?: string): void {
  if (!socket.writable) return;
  const { status, headers, body } = errorAnswer(error, requestId);
  const lines = Object.entries({ ...headers, connection: "close" }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  // The system would reset a connection that is closed with unread data, and the client could lose the response
  // (RFC 9112, section 9.6).
  socket.once("finish", () => {
    const timer = setTimeout(() => socket.destroy(), lingering);
    socket.once("close", () => clearTimeout(timer));
    socket.resume();
  });
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}

/** Converts a thrown value for the client: a `GatewayError` unchanged, any other to a plain 500, which is logged. */
export function toAnswerable(error: unknown, log: Logger, requestId?: string): GatewayError {
  const known = toGatewayError(error, 500, "Internal error");
  if (known !== error) log.error("request failed", { error, ...(requestId && { request: requestId }) });
  return known;
}

/** Phrases of the reference implementation and its libraries with replacements, which no phrase matches. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [
    /unable to reference message as structured \(with '([^']*)'\): (?:parse as json: )?/g,
    "`$1` needs a message that is JSON: ",
  ],
  [/\bstrconv\.\w+: parsing "/g, '"'],
  [/": invalid syntax/g, '" is not a number'],
  [/": value out of range/g, '" is out of range'],
  [/\bparse as json: /g, "not JSON: "],
  [/\btarget message part does not exist/g, "the message is empty"],
  [/\binvalid character '/g, "unexpected character '"],
  [/ looking for beginning of value/g, " where a value is expected"],
  [/ looking for beginning of object key string/g, " where a field name is expected"],
  [/ after object key:value pair/g, " after a field, where `,` or `}` has to follow"],
  [/ after object key/g, " after a field name, where `:` is expected"],
  [/ after array element/g, " after an element, where `,` or `]` has to follow"],
  [/ in string literal/g, " in a string, where it must be escaped"],
  [/ in string escape code/g, " in a text after `\\`"],
  [/ in \\u hexadecimal character escape/g, " in a text after `\\u`"],
  [/ after decimal point in numeric literal/g, " after the decimal point of a number"],
  [/ in numeric literal/g, " in a number"],
  [/ in exponent of numeric literal/g, " in the exponent of a number"],
  [/ in literal (\w+) \(expecting '(\w)'\)/g, " in `$1`, where `$2` has to follow"],
  [/\bmessage contains multiple valid documents/g, "unexpected text after the value"],
  [/\bunexpected EOF\b/g, "the text ends too early"],
  [/(^|: )EOF$/g, "$1the text is empty"],
  [/\b(?:net\/url|crypto\/bcrypt|encoding\/hex): /g, ""],
  [/ decoding interface\{\}/g, ""],
  [/\bredis: nil\b/g, "redis: no value"],
  [/<nil>/g, "null"],
];

/** Returns an error text for callers, without the programming terms of the reference implementation. */
function plainWords(text: string): string {
  return phrases.reduce((words, [phrase, plain]) => words.replace(phrase, plain), text);
}
