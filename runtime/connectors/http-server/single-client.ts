// A request for one message among the clients of an output.

import type { ServerResponse } from "node:http";
import { StallGuard } from "../../clients/stall-guard.ts";
import type { Clients } from "../../component/clients.ts";
import { GatewayError } from "../../errors.ts";
import { answerError } from "../../http/answer.ts";
import type { Message } from "../../message/message.ts";
import { contentTypeOf } from "../../message/metadata.ts";
import { isInert } from "./content-types.ts";
import { destroyResponse } from "./held-open-client.ts";

export interface SingleClientOptions {
  /** Milliseconds in which a message has to come. */
  readonly timeout: number;
  /** Milliseconds after which a client that takes no bytes is dropped. */
  readonly writeWait: number;
}

/** Bytes of a message that are written at a time, so that a slow client can be distinguished from one that takes nothing. */
const pieceBytes = 64 * 1024;

/**
 * Answers with the next message that is this client's, or 408 when none comes in time; resolves when the answer is over.
 * A client that takes none of its message is dropped, so that another gets it.
 */
export function serveSingle(
  pool: Pick<Clients, "join">,
  response: ServerResponse,
  { timeout, writeWait }: SingleClientOptions,
): Promise<void> {
  if (response.closed) return Promise.resolve();
  let taken = false;
  const membership = pool.join({
    isReady: () => !taken && !response.destroyed,
    send(message, confirm) {
      taken = true;
      answerWith(response, message, writeWait, confirm);
    },
    end: () => refuse(new GatewayError(503, "Stream is stopping", { retryAfter: 1 })),
  });
  const timer = setTimeout(() => refuse(new GatewayError(408, "Timed out waiting for a message")), timeout);

  function refuse(error: GatewayError): void {
    if (taken) return;
    taken = true;
    answerError(response, error);
  }

  return new Promise((resolve) => {
    response.once("close", () => {
      clearTimeout(timer);
      membership.leave();
      resolve();
    });
  });
}

function answerWith(
  response: ServerResponse,
  message: Message,
  writeWait: number,
  confirm: () => void,
): void {
  const bytes = message.bytes();
  const type = contentTypeOf(message);
  response.writeHead(200, {
    "content-type": type,
    "content-length": String(bytes.byteLength),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    // Opened in a browser, what others sent is not to run as a page of the gateway.
    ...(!isInert(type) && { "content-security-policy": "sandbox" }),
  });
  if (bytes.byteLength === 0) {
    response.end(confirm);
    return;
  }
  const guard = new StallGuard(writeWait, response, destroyResponse);
  response.once("close", () => guard.stop());
  writeFrom(0);

  // The callback of `end` does not tell whether the connection broke, that of `write` does.
  function writeFrom(start: number): void {
    const next = start + pieceBytes;
    const isLast = next >= bytes.byteLength;
    guard.began();
    response.write(bytes.subarray(start, next), (error) => {
      guard.ended();
      if (error) return;
      if (isLast) confirm();
      else writeFrom(next);
    });
    if (isLast) response.end();
  }
}
