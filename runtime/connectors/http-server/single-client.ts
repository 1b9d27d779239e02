// A request for one message among the clients of an output.

import type { ServerResponse } from "node:http";
import { answerError } from "../../answer.ts";
import type { Clients } from "../../clients.ts";
import { GatewayError } from "../../errors.ts";
import type { Message } from "../../message.ts";
import { contentTypeOf } from "../../metadata.ts";

/** Answers with the next message that is this client's, or 408 after `timeout` milliseconds; resolves then. */
export function serveSingle(pool: Clients, response: ServerResponse, timeout: number): Promise<void> {
  if (response.closed) return Promise.resolve();
  let taken = false;
  const membership = pool.join({
    isReady: () => !taken && !response.destroyed,
    send(message, confirm) {
      taken = true;
      answerWith(response, message, confirm);
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

function answerWith(response: ServerResponse, message: Message, confirm: () => void): void {
  const bytes = message.bytes();
  response.writeHead(200, {
    "content-type": contentTypeOf(message.metadata),
    "content-length": String(bytes.byteLength),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  if (bytes.byteLength === 0) {
    response.end(confirm);
    return;
  }
  // The callback of `end` does not tell whether the connection broke, that of `write` does.
  response.write(bytes, (error) => {
    if (!error) confirm();
  });
  response.end();
}
