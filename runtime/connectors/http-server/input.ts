import type { Delivered, Input, InputContext } from "../../component/component.ts";
import type {
  Endpoint,
  HttpEndpoint,
  HttpExchange,
  SocketEndpoint,
  SocketUpgrade,
} from "../../component/endpoint.ts";
import { waitForLimit } from "../../component/rate-limit-wait.ts";
import type { RateLimit } from "../../component/resource.ts";
import { InFlight } from "../../concurrency/in-flight.ts";
import { Limited, TimeLimits } from "../../concurrency/time-limits.ts";
import { blockageOf } from "../../conditions/blockage.ts";
import { GatewayError, toGatewayError } from "../../errors.ts";
import { answerError, toAnswerable } from "../../http/answer.ts";
import { discardBody } from "../../http/gateway-messages.ts";
import { collectBody } from "../../http/read-body.ts";
import { RequestAttributes, requestMetadata } from "../../http/request-metadata.ts";
import { requestIdOf } from "../../http/request-origin.ts";
import { type Batch, Message } from "../../message/message.ts";
import { boundaryOf, parseMultipart } from "../../message/multipart.ts";
import type { Value } from "../../message/value.ts";
import { bodyBudget, type Hold } from "../../process/memory/body-budget.ts";
import { sendText } from "../../sockets/frames.ts";
import { isPageAllowed } from "../../sockets/origin.ts";
import {
  type AdmitFrame,
  createSocketReader,
  frameSequence,
  type SocketReader,
} from "../../sockets/socket-input.ts";
import { openSocket } from "../../sockets/upgrade.ts";
import { type HttpServerInputOptions, httpServerInputDefaults } from "./generated/input-options.ts";
import { createReplier, type Replier } from "./reply.ts";

/** Largest number of requests that wait for the output; further ones are refused with a time to retry. */
const maxWaiting = 1024;

/** Size of replies that are usually sent immediately, in bytes. */
const largeReply = 65_536;

interface ProducerOptions {
  /** Milliseconds that a caller waits from the end of its request body to the confirmation. */
  readonly timeout: number;
  readonly rate_limit?: RateLimit | undefined;
  readonly reply: Replier;
  /** The route as documents have it, with named parameters. */
  readonly route: string;
}

/**
 * Delivers the requests of one input. If the caller was answered 408, or disconnected, its message is still
 * delivered: it cannot be taken back from a broker that may have it already.
 */
class Producer {
  readonly context: InputContext;
  readonly options: ProducerOptions;
  /** Requests without a response yet. */
  readonly requests = new InFlight();
  /** Batches that are not confirmed. */
  readonly deliveries = new InFlight();
  readonly timeLimits: TimeLimits;

  constructor(context: InputContext, options: ProducerOptions) {
    this.context = context;
    this.options = options;
    this.timeLimits = new TimeLimits(options.timeout);
  }

  /** Answers a request once its message is confirmed, or with 408 after the timeout. */
  handle(exchange: HttpExchange): undefined {
    new ProducedRequest(this, exchange).begin();
  }

  /**
   * Waits for accepted messages.
   * If the stream does not stop, also waits for requests whose bodies are still being received.
   */
  async close(): Promise<void> {
    // If the stream continues without this input, requests that have arrived are completed.
    if (!this.context.signal.aborted) await this.requests.empty();
    await this.deliveries.empty();
    this.timeLimits.close();
  }
}

/** One request, from its body to its response. */
class ProducedRequest extends Limited {
  readonly #producer: Producer;
  readonly #exchange: HttpExchange;
  readonly #hold: Hold;
  #isAnswered = false;

  constructor(producer: Producer, exchange: HttpExchange) {
    super();
    this.#producer = producer;
    this.#exchange = exchange;
    this.#hold = exchange.body?.hold ?? bodyBudget.hold();
    // The body belongs to another owner too, which releases it when the response ends.
    if (exchange.body !== undefined) this.#hold.share();
  }

  begin(): void {
    const { context, options, requests } = this.#producer;
    requests.begin();
    if (options.rate_limit === undefined) this.#read();
    else {
      void refusal(options.rate_limit, this.#exchange, context).then((refused) => {
        if (refused === undefined) this.#read();
        else this.#turnAway(refused);
      });
    }
  }

  /** Answers the caller with 408; the delivery of its message continues. */
  onTimeout(): void {
    const { timeout } = this.#producer.options;
    this.#answer(new GatewayError(408, `Request timed out after ${timeout / 1000} s`));
  }

  /** Reads the body. Runs after the rate limit has answered: other requests may have arrived meanwhile. */
  #read(): void {
    const { request, body, maxBodyBytes } = this.#exchange;
    if (this.#producer.context.signal.aborted) this.#turnAway(closing());
    else if (this.#producer.deliveries.count >= maxWaiting) this.#turnAway(busy());
    else if (body !== undefined) this.#take(body.bytes);
    else collectBody(request, maxBodyBytes, this.#hold, (read) => this.#take(read));
  }

  #take(body: Buffer | GatewayError): void {
    const batch = body instanceof GatewayError ? body : this.#batchOf(body);
    if (batch instanceof GatewayError) this.#turnAway(batch);
    else if (this.#producer.context.signal.aborted) this.#turnAway(closing());
    else this.#deliver(batch);
  }

  #batchOf(body: Buffer): Batch | GatewayError {
    try {
      return batchOf(this.#exchange, body);
    } catch (error) {
      return toAnswerable(error, this.#producer.context.log);
    }
  }

  #deliver(batch: Batch): void {
    const { context, deliveries, timeLimits } = this.#producer;
    deliveries.begin();
    timeLimits.begin(this);
    const delivery = context.deliver(batch);
    // Synchronous processors have read the document of a validated body. Keeping it until the confirmation would only
    // use memory.
    if (this.#exchange.body !== undefined) for (const message of batch) message.releaseDocument();
    delivery.then(
      (delivered) => this.#settle(batch, delivered),
      (error: unknown) => {
        const failure = toGatewayError(error, 500, "Internal error");
        context.reportRefused?.(blockageOf(batch, failure, () => this.#source()));
        this.#settle(batch, failure);
      },
    );
  }

  #settle(batch: Batch, outcome: Delivered | GatewayError): void {
    const { deliveries, timeLimits, options } = this.#producer;
    timeLimits.end(this);
    const { response } = this.#exchange;
    if (!this.#isAnswered) {
      this.#answer(outcome instanceof GatewayError ? outcome : options.reply(response, outcome, batch));
    }
    // The part of a large reply that the client has not read yet is also in memory.
    if (response.writableLength > largeReply) response.once("close", () => this.#hold.release());
    else this.#hold.release();
    deliveries.end();
  }

  /** The source of an undelivered message, for operators. */
  #source() {
    const { request } = this.#exchange;
    return {
      route: this.#producer.options.route,
      verb: request.method ?? "",
      requestId: requestIdOf(request) ?? "",
    };
  }

  /** Refuses the request; nothing was delivered. */
  #turnAway(refused: GatewayError): void {
    discardBody(this.#exchange.request);
    this.#hold.release();
    this.#answer(refused);
  }

  /** Ends the request. Without `refused`, the reply was already written. */
  #answer(refused: GatewayError | undefined): void {
    this.#isAnswered = true;
    if (refused !== undefined) answerError(this.#exchange.response, refused);
    this.#producer.requests.end();
  }
}

function batchOf(exchange: HttpExchange, body: Buffer): Batch | GatewayError {
  const boundary = boundaryOf(exchange.request.headers["content-type"] ?? "");
  if (boundary === undefined)
    return [Message.withAttributes(body, new RequestAttributes(exchange), takeDocument(exchange))];
  const { metadata, parameters } = requestMetadata(exchange);
  const parts = parseMultipart(body, boundary);
  if (parts === undefined || parts.length === 0) {
    return new GatewayError(400, "Multipart body is malformed");
  }
  return parts.map(({ contentType, content }) => {
    const own = new Map(metadata);
    // The type of the whole body does not apply to a part.
    if (contentType === "") own.delete("Content-Type");
    else own.set("Content-Type", contentType);
    return Message.fromBytes(content, own, undefined, parameters);
  });
}

function takeDocument({ body }: HttpExchange): Value | undefined {
  if (body === undefined) return undefined;
  const { document } = body;
  body.document = undefined;
  return document;
}

function busy(): GatewayError {
  return new GatewayError(503, "Too many requests are waiting", { retryAfter: 1 });
}

function closing(): GatewayError {
  return new GatewayError(503, "Stream is stopping", { retryAfter: 1 });
}

/**
 * Accepts messages from requests (`path`: the body is one message, `multipart/*` a batch) and from sockets
 * (`ws_path`: each frame is a message). The caller of a request gets the response once the output has confirmed.
 */
export function httpServerInput(options: HttpServerInputOptions): Input {
  return createHttpServerInput(options, openSocket);
}

type Settings = HttpServerInputOptions &
  Required<Pick<HttpServerInputOptions, keyof typeof httpServerInputDefaults>>;

/** Handles requests and sockets between `start` and `close`. */
interface Session {
  readonly producer: Producer;
  readonly sockets: SocketReader;
}

const keepAlive = { pingPeriod: 54_000, pongWait: 60_000 };

/** Throws if `ws_path` is set but `upgrade` is missing. */
function createHttpServerInput(options: HttpServerInputOptions, upgrade: SocketUpgrade | undefined): Input {
  const settings: Settings = { ...httpServerInputDefaults, ...options };
  const { timeout, rate_limit, ws_rate_limit_message: notice } = settings;
  let session: Session | undefined;
  const findSession = () => session;
  const endpoints: Endpoint[] = [];
  if (settings.path !== undefined) {
    endpoints.push(requestEndpoint(settings.path, settings, findSession));
  }
  if (settings.ws_path !== undefined) {
    if (upgrade === undefined) throw new Error("http_server: ws_path needs the input with sockets");
    endpoints.push(socketEndpoint(settings.ws_path, settings, upgrade, findSession));
  }
  return {
    isServer: true,
    ...(settings.ws_path !== undefined && { sequenceOf: frameSequence }),
    endpoints,
    async start(context: InputContext) {
      session = {
        producer: new Producer(context, {
          timeout,
          rate_limit,
          route: settings.path ?? "",
          reply: createReplier(settings.sync_response),
        }),
        sockets: createSocketReader(context, "text", createFrameAdmission(rate_limit, notice, context)),
      };
    },
    async close() {
      await Promise.all([session?.producer.close(), session?.sockets.close()]);
    },
  };
}

function requestEndpoint(
  path: string,
  { allowed_verbs: verbs, cors }: Settings,
  findSession: () => Session | undefined,
): HttpEndpoint {
  return {
    transport: "http",
    verbs: [...new Set(verbs)],
    path,
    cors,
    handle(exchange) {
      const session = findSession();
      if (session === undefined) throw notRunning();
      return session.producer.handle(exchange);
    },
  };
}

function socketEndpoint(
  path: string,
  { cors, ws_welcome_message: greeting }: Settings,
  upgrade: SocketUpgrade,
  findSession: () => Session | undefined,
): SocketEndpoint {
  return {
    transport: "websocket",
    path,
    upgrade,
    admit(exchange) {
      const session = findSession();
      if (session === undefined) return notRunning();
      if (!isPageAllowed(exchange.request, cors)) return new GatewayError(403, "Origin is not allowed");
      return {
        ...keepAlive,
        maxFrameBytes: exchange.maxFrameBytes,
        attach(socket) {
          sendText(socket, greeting);
          session.sockets.read(socket, exchange, path);
        },
      };
    },
  };
}

function notRunning(): GatewayError {
  return new GatewayError(503, "Stream is not running", { retryAfter: 1 });
}

/** Like `httpServerInput`, for a stream without `ws_path`: a gateway that uses only this includes no WebSocket code. */
export function plainHttpServerInput(options: Omit<HttpServerInputOptions, "ws_path">): Input {
  return createHttpServerInput(options, undefined);
}

/** Returns why a request is refused before its body is read; `undefined` if it may proceed. */
async function refusal(
  limit: RateLimit | undefined,
  { request }: HttpExchange,
  { log }: InputContext,
): Promise<GatewayError | undefined> {
  if (limit === undefined) return undefined;
  try {
    const wait = await limit.take(Number(request.headers["content-length"] ?? 0));
    if (wait <= 0) return undefined;
    return new GatewayError(429, "Too many requests", { retryAfter: Math.ceil(wait / 1000) });
  } catch (error) {
    log.warn("rate limit unavailable", { error });
    return new GatewayError(503, "Rate limit unavailable", { retryAfter: 1 });
  }
}

/**
 * Returns a function that delays frames until `limit` admits them.
 * A delayed client gets `notice`, unless that is empty.
 */
function createFrameAdmission(
  limit: RateLimit | undefined,
  notice: string,
  context: InputContext,
): AdmitFrame | undefined {
  if (limit === undefined) return undefined;
  const { log, signal } = context;
  return async (batch, socket) => {
    const onHeld = notice === "" ? undefined : () => sendText(socket, notice);
    for (const message of batch) await waitForLimit(limit, message.bytes().length, { log, signal, onHeld });
  };
}
