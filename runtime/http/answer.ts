// Answers that carry an error, on plain responses and on sockets that were to be upgraded.

import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { GatewayError, toGatewayError } from "../errors.ts";
import { plainWords } from "../failures/plain-words.ts";
import type { Logger } from "../process/log.ts";
import { requestIdOf } from "./request-origin.ts";

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `{"error": message}`, and what else the error says, with its status and headers and the id of the request. */
export function errorAnswer(error: GatewayError, requestId?: string): Answer {
  // Only what is said of a message can be in the words of the reference's parsers.
  const text = error.status === 422 ? plainWords(error.answer) : error.answer;
  const body = JSON.stringify({ error: text, ...error.details });
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

/** For a request whose head or body did not come in `time` milliseconds. */
export function lateRequest(time: number): GatewayError {
  return new GatewayError(408, `The request did not arrive within ${time / 1000} s`);
}

/** Answers a request; one whose answer has begun can only be cut off. */
export function answerError(response: ServerResponse, error: GatewayError): void {
  if (response.destroyed || response.writableEnded) return;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, headers, body } = errorAnswer(error, requestIdOf(response.req));
  response.writeHead(status, headers).end(body);
}

/** Answers an upgrade that is refused and closes the connection. */
export function answerUpgrade(socket: Duplex, error: GatewayError, requestId?: string): void {
  if (socket.destroyed) return;
  const { status, headers, body } = errorAnswer(error, requestId);
  const lines = Object.entries({ ...headers, connection: "close" }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.once("finish", () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}

/** The answer for a thrown value: a known error as it is, any other as a bare 500, logged. */
export function toAnswerable(error: unknown, log: Logger, requestId?: string): GatewayError {
  const known = toGatewayError(error, 500, "Internal error");
  if (known !== error) log.error("request failed", { error, ...(requestId && { request: requestId }) });
  return known;
}
