// A request for one message, or for one batch of several, among the clients of an output.

import type { ServerResponse } from "node:http";
import { StallGuard } from "../../clients/stall-guard.ts";
import type { Clients } from "../../component/clients.ts";
import type { PoolClient } from "../../component/message-gates.ts";
import { Limited, type TimeLimits } from "../../concurrency/time-limits.ts";
import { GatewayError } from "../../errors.ts";
import { answerError } from "../../http/answer.ts";
import { writeWithHead } from "../../http/gateway-messages.ts";
import type { Batch, Message } from "../../message/message.ts";
import { contentTypeOf } from "../../message/metadata.ts";
import { type AnswerContent, isInert, joinMessages } from "./content-types.ts";
import { destroyResponse } from "./held-open-client.ts";

export interface SingleClientOptions {
  /** The time in which a message has to come, for all clients of the output. */
  readonly waits: TimeLimits;
  /** Milliseconds after which a client that takes no bytes is dropped. */
  readonly writeWait: number;
}

/** Bytes of a message that are written at a time, so that a slow client can be distinguished from one that takes nothing. */
const pieceBytes = 64 * 1024;

/**
 * Answers with the next message or batch that is this client's, or 408 when none comes in time. A client that takes none of its
 * message is dropped, so that another gets it.
 */
export function serveSingle(
  pool: Pick<Clients, "join">,
  response: ServerResponse,
  options: SingleClientOptions,
): undefined {
  if (!response.closed) new SingleClient(response, options).begin(pool);
}

class SingleClient extends Limited implements PoolClient {
  readonly sendBatch = (batch: Batch, confirm: () => void): void => {
    const { type, body } = joinMessages(batch, this.#response.req, contentTypeOf);
    this.#answer(type, body, confirm);
  };
  readonly #response: ServerResponse;
  readonly #options: SingleClientOptions;
  /** It has its message, or an answer that there is none. */
  #isServed = false;

  constructor(response: ServerResponse, options: SingleClientOptions) {
    super();
    this.#response = response;
    this.#options = options;
  }

  begin(pool: Pick<Clients, "join">): void {
    const { waits } = this.#options;
    const membership = pool.join(this);
    if (!this.#isServed) waits.begin(this);
    this.#response.on("close", () => {
      waits.end(this);
      membership.leave();
    });
  }

  isReady(): boolean {
    return !this.#isServed && !this.#response.destroyed;
  }

  send(message: Message, confirm: () => void): void {
    this.#answer(contentTypeOf(message), message.bytes(), confirm);
  }

  #answer(type: string, body: Uint8Array, confirm: () => void): void {
    this.#isServed = true;
    this.#options.waits.end(this);
    answerWith(this.#response, { type, body }, this.#options.writeWait, confirm);
  }

  end(): void {
    this.#refuse(new GatewayError(503, "Stream is stopping", { retryAfter: 1 }));
  }

  onTimeout(): void {
    this.#refuse(new GatewayError(408, "Timed out waiting for a message"));
  }

  #refuse(error: GatewayError): void {
    if (this.#isServed) return;
    this.#isServed = true;
    answerError(this.#response, error);
  }
}

function answerWith(
  response: ServerResponse,
  { type, body: bytes }: AnswerContent,
  writeWait: number,
  confirm: () => void,
): void {
  const headers: Record<string, string> = {
    "content-type": type,
    "content-length": String(bytes.byteLength),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
  // Opened in a browser, what others sent is not to run as a page of the gateway.
  if (!isInert(type)) headers["content-security-policy"] = "sandbox";
  response.writeHead(200, headers);
  if (bytes.byteLength === 0) {
    response.end(confirm);
    return;
  }
  let guard: StallGuard<ServerResponse> | undefined;
  writeFrom(0);

  // The callback of `end` does not tell whether the connection broke, that of `write` does.
  function writeFrom(start: number): void {
    const next = start + pieceBytes;
    const isLast = next >= bytes.byteLength;
    let isGuarded = false;
    const written = (error: Error | null | undefined) => {
      if (isGuarded) guard?.ended();
      if (error) return;
      if (isLast) confirm();
      else writeFrom(next);
    };
    if (start === 0) writeWithHead(response, isLast ? bytes : bytes.subarray(0, next), written);
    else response.write(bytes.subarray(start, next), written);
    if (isLast) response.end();
    // Usually the kernel has all of it by now, and no client can hold up anything.
    if (response.writableLength === 0) return;
    isGuarded = true;
    guard ??= guardOf(response, writeWait);
    guard.began();
  }
}

function guardOf(response: ServerResponse, writeWait: number): StallGuard<ServerResponse> {
  const guard = new StallGuard(writeWait, response, destroyResponse);
  response.on("close", () => guard.stop());
  return guard;
}
