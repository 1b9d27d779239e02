// Requests as messages: one each, or a batch from a body of several parts.

import type { Delivered, InputContext } from "../../component/component.ts";
import type { HttpExchange } from "../../component/endpoint.ts";
import type { RateLimit } from "../../component/resource.ts";
import { blockageOf, type SourceOf } from "../../conditions/blockage.ts";
import { GatewayError, toGatewayError } from "../../errors.ts";
import { answerError } from "../../http/answer.ts";
import { readBody } from "../../http/read-body.ts";
import { requestMetadata } from "../../http/request-metadata.ts";
import { type Batch, Message } from "../../message/message.ts";
import { boundaryOf, parseMultipart } from "../../message/multipart.ts";
import { bodyBudget, type Hold } from "../../process/memory/body-budget.ts";
import { refusal } from "./admission.ts";
import type { Replier } from "./reply.ts";

/** Requests that may wait for the output at a time; the next is told to come back. */
const maxWaiting = 1024;

/** The requests of one input. */
export interface Producer {
  /** Answers a request once its message is confirmed, or 408 after the timeout. */
  handle(exchange: HttpExchange): Promise<void>;
  /** Waits for what was accepted; where the stream does not stop, also for requests whose bodies still come. */
  close(): Promise<void>;
}

export interface ProducerOptions {
  /** Milliseconds that a caller waits from the end of its body to the confirmation. */
  readonly timeout: number;
  readonly rate_limit?: RateLimit | undefined;
  readonly reply: Replier;
  /** The route as documents have it, with its parameters by name. */
  readonly route: string;
}

/**
 * Delivers requests into `context`. A message whose caller was answered 408, or left, is still delivered:
 * it cannot be taken back from a broker that may have it already.
 */
export function createProducer(
  context: InputContext,
  { timeout, rate_limit: limit, reply, route }: ProducerOptions,
): Producer {
  const deliveries = new Set<Promise<unknown>>();
  const handlings = new Set<Promise<void>>();

  async function handle(exchange: HttpExchange): Promise<void> {
    const { request, response } = exchange;
    const hold = exchange.bodyHold ?? bodyBudget.holdUntilClosed(response);
    const batch = (await refusal(limit, exchange, context)) ?? (await takeBatch(exchange, hold));
    if (batch instanceof GatewayError || context.signal.aborted) {
      request.resume();
      answerError(response, batch instanceof GatewayError ? batch : closing());
      return;
    }
    const delivery = deliver(context, batch, () => ({
      route,
      verb: request.method ?? "",
      requestId: String(request.headers["x-request-id"] ?? ""),
    }));
    deliveries.add(delivery);
    // A caller that was answered 408, or left, leaves its message behind.
    hold.share();
    void delivery.then(() => {
      deliveries.delete(delivery);
      hold.release();
    });
    const outcome = await Promise.race([delivery, expiry(delivery, timeout)]);
    const refused = outcome instanceof GatewayError ? outcome : reply(response, outcome, batch);
    if (refused !== undefined) answerError(response, refused);
  }

  /** Looked at when the limit has answered: others may have come in meanwhile. */
  async function takeBatch(exchange: HttpExchange, hold: Hold): Promise<Batch | GatewayError> {
    return deliveries.size < maxWaiting ? readBatch(exchange, hold) : busy();
  }

  return {
    async handle(exchange) {
      if (context.signal.aborted) {
        exchange.request.resume();
        answerError(exchange.response, closing());
        return;
      }
      const handling = handle(exchange);
      handlings.add(handling);
      await handling.finally(() => handlings.delete(handling));
    },
    async close() {
      // Where the stream goes on without this input, what has come in by it is taken to its end.
      if (!context.signal.aborted) await Promise.allSettled(handlings);
      await Promise.all(deliveries);
    },
  };
}

function deliver(context: InputContext, batch: Batch, sourceOf: SourceOf): Promise<Delivered | GatewayError> {
  return context.deliver(batch).catch((error: unknown) => {
    const failure = toGatewayError(error, 500, "Internal error");
    context.reportRefused?.(blockageOf(batch, failure, sourceOf));
    return failure;
  });
}

/** Resolves with the 408 after `timeout`; its timer ends with the delivery. */
function expiry(delivery: Promise<unknown>, timeout: number): Promise<GatewayError> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(new GatewayError(408, "Request timed out")), timeout);
    void delivery.then(() => clearTimeout(timer));
  });
}

async function readBatch(exchange: HttpExchange, hold: Hold): Promise<Batch | GatewayError> {
  const body = exchange.body ?? (await readBody(exchange.request, exchange.maxBodyBytes, hold));
  if (body instanceof GatewayError) return body;
  const { metadata, parameters } = requestMetadata(exchange);
  const boundary = boundaryOf(exchange.request.headers["content-type"] ?? "");
  if (boundary === undefined) return [Message.fromBytes(body, metadata, undefined, parameters)];
  const parts = parseMultipart(body, boundary);
  if (parts === undefined || parts.length === 0) {
    return new GatewayError(400, "Multipart body is broken");
  }
  return parts.map(({ contentType, content }) => {
    const own = new Map(metadata);
    // The type of the whole body says nothing about a part.
    if (contentType === "") own.delete("Content-Type");
    else own.set("Content-Type", contentType);
    return Message.fromBytes(content, own, undefined, parameters);
  });
}

function busy(): GatewayError {
  return new GatewayError(503, "Too many requests are waiting", { retryAfter: 1 });
}

function closing(): GatewayError {
  return new GatewayError(503, "Stream is stopping", { retryAfter: 1 });
}
