import type { Delivered, Input, InputContext } from "../../component/component.ts";
import type {
  CorsPolicy,
  Endpoint,
  HttpEndpoint,
  HttpExchange,
  SocketEndpoint,
  SocketUpgrade,
} from "../../component/endpoint.ts";
import type { Scoped } from "../../component/gateway-scope.ts";
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
import { lazily } from "../../text/memo.ts";
import { type HttpServerInputOptions, httpServerInputDefaults } from "./generated/input-options.ts";
import { createReplier, type Replier } from "./reply.ts";

/** Largest number of requests that wait for the output; further ones are refused with a time to retry. */
const maxWaiting = 1024;

/** Size of replies that are usually sent immediately, in bytes. */
const largeReply = 65_536;

/** The limits of callers by their length in milliseconds: inputs with the same timeout share one timer. */
const callerLimits: Scoped<Map<number, TimeLimits>> = { create: () => new Map() };

function limitsOf({ gateway }: InputContext, timeout: number): TimeLimits {
  const known = gateway?.get(callerLimits);
  const limits = known?.get(timeout) ?? new TimeLimits(timeout);
  known?.set(timeout, limits);
  return limits;
}

/** One request, from its body to its response. */
class ProducedRequest extends Limited {
  readonly #endpoint: RequestEndpoint;
  readonly #context: InputContext;
  readonly #exchange: HttpExchange;
  readonly #hold: Hold;
  #isAnswered = false;

  constructor(endpoint: RequestEndpoint, context: InputContext, exchange: HttpExchange) {
    super();
    this.#endpoint = endpoint;
    this.#context = context;
    this.#exchange = exchange;
    this.#hold = exchange.body?.hold ?? bodyBudget.hold();
    // The body belongs to another owner too, which releases it when the response ends.
    if (exchange.body !== undefined) this.#hold.share();
  }

  begin(): void {
    const { rateLimit } = this.#endpoint;
    this.#endpoint.begin();
    if (rateLimit === undefined) this.#read();
    else {
      void refusal(rateLimit, this.#exchange, this.#context).then((refused) => {
        if (refused === undefined) this.#read();
        else this.#reject(refused);
      });
    }
  }

  /** Answers the caller with 408; the delivery of its message continues. */
  onTimeout(): void {
    const { timeout } = this.#endpoint;
    this.#answer(new GatewayError(408, `Request timed out after ${timeout / 1000} s`));
  }

  /** Reads the body. Runs after the rate limit has answered: other requests may have arrived meanwhile. */
  #read(): void {
    const { request, body, maxBodyBytes } = this.#exchange;
    if (this.#endpoint.signal.aborted) this.#reject(closing());
    else if (this.#endpoint.deliveries >= maxWaiting) this.#reject(busy());
    else if (body !== undefined) this.#take(body.bytes);
    else collectBody(request, maxBodyBytes, this.#hold, (read) => this.#take(read));
  }

  #take(body: Buffer | GatewayError): void {
    const batch = body instanceof GatewayError ? body : this.#batchOf(body);
    if (batch instanceof GatewayError) this.#reject(batch);
    else if (this.#endpoint.signal.aborted) this.#reject(closing());
    else this.#deliver(batch);
  }

  #batchOf(body: Buffer): Batch | GatewayError {
    try {
      return batchOf(this.#exchange, body);
    } catch (error) {
      return toAnswerable(error, this.#context.log);
    }
  }

  #deliver(batch: Batch): void {
    const { deliver, timeLimits } = this.#endpoint;
    this.#endpoint.deliveries += 1;
    timeLimits.begin(this);
    const delivery = deliver(batch);
    // Synchronous processors have read the document of a validated body. Keeping it until the confirmation would only
    // use memory.
    if (this.#exchange.body !== undefined) for (const message of batch) message.releaseDocument();
    delivery.then(
      (delivered) => this.#settle(batch, delivered),
      (error: unknown) => {
        const failure = toGatewayError(error, 500, "Internal error");
        this.#context.reportRefused?.(blockageOf(batch, failure, () => this.#source()));
        this.#settle(batch, failure);
      },
    );
  }

  #settle(batch: Batch, outcome: Delivered | GatewayError): void {
    const { timeLimits, reply } = this.#endpoint;
    timeLimits.end(this);
    const { response } = this.#exchange;
    if (!this.#isAnswered) {
      this.#answer(outcome instanceof GatewayError ? outcome : reply(response, outcome, batch));
    }
    // The part of a large reply that the client has not read yet is also in memory.
    if (response.writableLength > largeReply) response.once("close", () => this.#hold.release());
    else this.#hold.release();
    this.#endpoint.endDelivery();
  }

  /** The source of an undelivered message, for operators. */
  #source() {
    const { request } = this.#exchange;
    return {
      route: this.#endpoint.path,
      verb: request.method ?? "",
      requestId: requestIdOf(request) ?? "",
    };
  }

  /** Refuses the request; nothing was delivered. */
  #reject(refused: GatewayError): void {
    discardBody(this.#exchange.request);
    this.#hold.release();
    this.#answer(refused);
    this.#endpoint.end();
  }

  /** Responds to the request. Without `refused`, the reply was already written. */
  #answer(refused: GatewayError | undefined): void {
    this.#isAnswered = true;
    if (refused !== undefined) answerError(this.#exchange.response, refused);
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
  return new HttpServerInput(options, { open: openSocket, read: createSocketReader, frameSequence });
}

type Settings = HttpServerInputOptions &
  Required<Pick<HttpServerInputOptions, keyof typeof httpServerInputDefaults>>;

/** What a gateway includes only if a stream has `ws_path`. */
interface Sockets {
  readonly open: SocketUpgrade;
  readonly read: typeof createSocketReader;
  readonly frameSequence: typeof frameSequence;
}

const keepAlive = { pingPeriod: 54_000, pongWait: 60_000 };

const plainReply = /* @__PURE__ */ lazily(createReplier);

/** Handles requests and sockets between `start` and `close`. */
class HttpServerInput implements Input {
  readonly isServer = true;
  readonly endpoints: readonly Endpoint[];
  readonly sequenceOf?: typeof frameSequence;
  readonly settings: Settings;
  readonly #requests: RequestEndpoint | undefined;
  socketReader: SocketReader | undefined;
  readonly #sockets: Sockets | undefined;

  /** Throws if `ws_path` is set but `sockets` are missing. */
  constructor(options: HttpServerInputOptions, sockets?: Sockets) {
    const settings = { ...httpServerInputDefaults, ...options };
    this.settings = settings;
    const { path, ws_path: socketPath } = settings;
    this.#requests = path === undefined ? undefined : new RequestEndpoint(path, settings);
    const endpoints: Endpoint[] = this.#requests === undefined ? [] : [this.#requests];
    if (socketPath !== undefined) {
      if (sockets === undefined) throw new Error("http_server: ws_path needs the input with sockets");
      this.#sockets = sockets;
      this.sequenceOf = sockets.frameSequence;
      endpoints.push(socketEndpoint(socketPath, this, sockets.open));
    }
    this.endpoints = endpoints;
  }

  async start(context: InputContext): Promise<void> {
    const { rate_limit: limit, ws_rate_limit_message: notice } = this.settings;
    this.#requests?.open(context, this.settings);
    this.socketReader = this.#sockets?.read(context, "text", createFrameAdmission(limit, notice, context));
  }

  async close(): Promise<void> {
    await Promise.all([this.#requests?.close(), this.socketReader?.close()]);
  }
}

/**
 * The route for requests of an input, which it delivers once it is open. It counts the requests that have no response yet, or
 * whose message is not confirmed. If the caller was answered 408, or disconnected, its message is still delivered: it cannot
 * be taken back from a broker that may have it already.
 */
class RequestEndpoint extends InFlight implements HttpEndpoint {
  // What each request reads stands in front: in a gateway with many streams, each further object is a miss of the caches.
  readonly transport = "http";
  context: InputContext | undefined;
  signal!: AbortSignal;
  deliver!: InputContext["deliver"];
  timeLimits!: TimeLimits;
  reply!: Replier;
  readonly rateLimit: RateLimit | undefined;
  /** The number of batches that are not confirmed; not an `InFlight` of its own, which would be one more such object. */
  deliveries = 0;
  /** Present if a stream that stops waits for these batches. */
  #delivered: PromiseWithResolvers<void> | undefined;
  /** Milliseconds that a caller waits from the end of its request body to the confirmation. */
  readonly timeout: number;
  readonly verbs: readonly string[];
  /** The route as documents have it, with named parameters. */
  readonly path: string;
  readonly cors: CorsPolicy | undefined;

  constructor(path: string, { allowed_verbs: verbs, cors, timeout, rate_limit: rateLimit }: Settings) {
    super();
    this.rateLimit = rateLimit;
    this.timeout = timeout;
    this.verbs = [...new Set(verbs)];
    this.path = path;
    this.cors = cors;
  }

  open(context: InputContext, { sync_response }: Settings): void {
    this.context = context;
    this.signal = context.signal;
    this.deliver = context.deliver;
    this.timeLimits = limitsOf(context, this.timeout);
    this.reply =
      sync_response === httpServerInputDefaults.sync_response ? plainReply() : createReplier(sync_response);
  }

  /** Answers a request once its message is confirmed, or with 408 after the timeout. */
  handle(exchange: HttpExchange): undefined {
    if (this.context === undefined) throw notRunning();
    new ProducedRequest(this, this.context, exchange).begin();
  }

  /** Ends a request whose batch was being delivered. */
  endDelivery(): void {
    this.deliveries -= 1;
    if (this.deliveries === 0) this.#delivered?.resolve();
    this.end();
  }

  /**
   * Waits for accepted messages. If the stream does not stop but continues without this input, also waits for requests whose
   * bodies are still being received.
   */
  async close(): Promise<void> {
    if (this.context === undefined) return;
    if (!this.signal.aborted) await this.empty();
    else if (this.deliveries > 0) {
      this.#delivered ??= Promise.withResolvers();
      await this.#delivered.promise;
    }
    this.timeLimits.rest();
  }
}

function socketEndpoint(path: string, input: HttpServerInput, upgrade: SocketUpgrade): SocketEndpoint {
  const { cors, ws_welcome_message: greeting } = input.settings;
  return {
    transport: "websocket",
    path,
    upgrade,
    admit(exchange) {
      const { socketReader } = input;
      if (socketReader === undefined) return notRunning();
      if (!isPageAllowed(exchange, cors)) return new GatewayError(403, "Origin is not allowed");
      return {
        ...keepAlive,
        maxFrameBytes: exchange.maxFrameBytes,
        attach(socket) {
          sendText(socket, greeting);
          socketReader.read(socket, exchange, path);
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
  return new HttpServerInput(options);
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
