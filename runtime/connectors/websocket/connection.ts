import { isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { type ClientOptions, WebSocket } from "ws";
import type { ComponentContext } from "../../component/component.ts";
import { type Text, textOf } from "../../component/text.ts";
import { abort } from "../../concurrency/abort.ts";
import { createBackoff, pause } from "../../concurrency/backoff.ts";
import { GatewayError, toGatewayError } from "../../errors.ts";
import { startReason } from "../../failures/description.ts";
import { noteServer } from "../../failures/unreachable.ts";
import { type Batch, Message } from "../../message/message.ts";
import { type TlsBlock, type TlsOptions, tlsOptions } from "../../process/tls.ts";
import { describeRequest } from "../../requests/describe.ts";
import type { ProxyServer } from "../../requests/proxy.ts";
import { type Credentials, type OutgoingRequest, unmakeable } from "../../requests/request.ts";
import { clientLimits, connectionFault } from "../../sockets/client-limits.ts";
import { closeSocket } from "../../sockets/frames.ts";
import { keepAlive } from "../../sockets/upgrade.ts";

/** The options that the input and the output share. */
interface SocketSettings {
  readonly url: Text;
  readonly proxy_url?: ProxyServer | undefined;
  readonly headers?: Readonly<Record<string, Text>>;
  readonly tls?: TlsBlock;
  readonly oauth?: Credentials | undefined;
  readonly basic_auth?: Credentials | undefined;
  readonly jwt?: Credentials | undefined;
}

/** How lost servers are detected; times in milliseconds. */
interface Liveness {
  readonly pingPeriod: number;
  readonly pongWait: number;
}

const handshakeTimeout = 30_000;

/** Computed options have no message when a connection is opened. */
const noMessage: Batch = [Message.fromText("")];

/** The parameters of opening a socket. */
interface Opening {
  readonly liveness: Liveness;
  /** Aborted when the socket is no longer needed. */
  readonly stop: AbortSignal;
  /** Called with the socket before it is open, as frames can arrive with the response to the handshake. */
  prepare(socket: WebSocket): void;
}

/**
 * Opens a socket. If that fails, closes everything and rejects with a `GatewayError`.
 */
async function openSocket(
  settings: SocketSettings,
  { liveness, stop, prepare }: Opening,
): Promise<WebSocket> {
  const tls = tlsOptions(settings.tls);
  const request = await createHandshake(settings, tls !== undefined);
  const isEncrypted = request.url.protocol === "https:";
  const options: ClientOptions = {
    ...tls,
    ...clientLimits,
    headers: Object.fromEntries(request.headers),
    handshakeTimeout,
  };
  if (settings.proxy_url !== undefined) {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(handshakeTimeout)]);
    const tunnel = await openTunnel(
      settings.proxy_url,
      request.url,
      isEncrypted ? (tls ?? {}) : undefined,
      signal,
    );
    options.createConnection = () => tunnel;
  }
  const address = new URL(request.url);
  address.protocol = isEncrypted ? "wss:" : "ws:";
  address.hash = "";
  const socket = new WebSocket(address, options);
  socket.once("open", () => keepAlive(socket, liveness.pingPeriod, liveness.pongWait));
  prepare(socket);
  await opened(socket, address);
  return socket;
}

/**
 * Returns the handshake as an HTTP request (RFC 6455, section 4.1), so that the credentials for requests can sign it.
 * A `tls` block always encrypts, whatever the protocol in the address. The protocol is replaced before the address is
 * parsed: `:80` is the default port of `http`, so parsing would drop it.
 */
async function createHandshake(settings: SocketSettings, hasTls: boolean): Promise<OutgoingRequest> {
  const { headers, oauth, basic_auth, jwt } = settings;
  const address = textOf(settings.url, noMessage, 0);
  if (!/^wss?:/i.test(address)) throw unmakeable("its URL is not one of WebSockets");
  const url = address.replace(/^wss?/i, hasTls || /^wss/i.test(address) ? "https" : "http");
  const described = { url, verb: "GET", ...(headers !== undefined && { headers }) };
  const request = describeRequest(described, noMessage, 0, undefined);
  for (const credentials of [oauth, basic_auth, jwt]) await credentials?.apply(request, noTokens);
  return request;
}

/** Refuses to fetch a token: the credentials that sockets support need none. */
async function noTokens(): Promise<never> {
  throw unmakeable("its credentials would have to be fetched");
}

/** Opens a connection through the proxy; with `tls`, it is encrypted up to the server. */
async function openTunnel(
  proxy: ProxyServer,
  url: URL,
  tls: Partial<TlsOptions> | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port || (tls === undefined ? "80" : "443");
  let tunnel: Socket;
  try {
    tunnel = await proxy.connect(`${url.hostname}:${port}`, signal);
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw new GatewayError(502, withCode("The proxy cannot be reached", error), { cause: error });
  }
  if (tls === undefined) return tunnel;
  return connectTls({ ...tls, socket: tunnel, host, ...(isIP(host) === 0 && { servername: host }) });
}

function opened(socket: WebSocket, { hostname, port, protocol }: URL): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.on("error", (error) => {
      const message = withCode("The WebSocket server cannot be reached", error);
      noteServer(error, { host: hostname, port: port || (protocol === "wss:" ? 443 : 80) });
      reject(new GatewayError(502, message, { cause: error }));
    });
    socket.once("unexpected-response", (request, { statusCode }) => {
      request.destroy();
      reject(new GatewayError(502, `The WebSocket server answered with status ${statusCode}`));
    });
  });
}

function withCode(message: string, error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? `${message} (${code})` : message;
}

/** How a connection is maintained. */
export interface ConnectionOptions {
  readonly settings: SocketSettings;
  /** Number of attempts after which a lost connection is given up; unlimited if absent. */
  readonly maxRetries?: number | undefined;
  /** Called with each socket before it is open. */
  prepare(socket: WebSocket): void;
  /** Called when the connection is given up. */
  gaveUp?(): void;
}

const pauses = { first: 500, longest: 30_000 };

/** Milliseconds after which a connection counts as good: later attempts start with short pauses again. */
const goodTime = 10_000;

/** Documents cannot change these. A server that vanishes without closing is noticed within a minute. */
const defaultLiveness: Liveness = { pingPeriod: 25_000, pongWait: 60_000 };

/** A socket that is opened again whenever it is lost. */
export class SocketConnection {
  readonly #options: ConnectionOptions;
  readonly #context: ComponentContext;
  readonly #liveness: Liveness;
  readonly #closing = new AbortController();
  readonly #backoff = createBackoff(pauses);
  #socket: WebSocket | undefined;
  /** Why the current socket ended, if ws has reported it. */
  #fault: string | undefined;
  #kept: Promise<void> | undefined;

  constructor(options: ConnectionOptions, context: ComponentContext, liveness: Liveness = defaultLiveness) {
    this.#options = options;
    this.#context = context;
    this.#liveness = liveness;
  }

  /** The open socket; `undefined` while there is none. */
  get socket(): WebSocket | undefined {
    return this.#socket?.readyState === this.#socket?.OPEN ? this.#socket : undefined;
  }

  /**
   * Resolves once connected, or given up. Rejects with a `GatewayError` if the first attempt fails and the number of
   * attempts is unlimited.
   */
  async start(): Promise<void> {
    const { maxRetries } = this.#options;
    const first = maxRetries === undefined ? await this.#open() : await this.#open().catch(this.#logFailure);
    const socket = first ?? (await this.#openAgain());
    if (socket === undefined) this.#giveUp();
    else {
      this.#context.log.info("connected to the WebSocket server");
      this.#kept = this.#keep(socket);
    }
  }

  /** Ends the connection with the closing handshake. */
  async close(): Promise<void> {
    abort(this.#closing);
    if (this.#socket !== undefined) closeSocket(this.#socket, 1000, "");
    await this.#kept;
  }

  async #keep(first: WebSocket): Promise<void> {
    let socket: WebSocket | undefined = first;
    while (socket !== undefined) {
      const openedAt = performance.now();
      const code = await closed(socket);
      if (this.#closing.signal.aborted) return;
      if (performance.now() - openedAt > goodTime) this.#backoff.reset();
      const endOutage = this.#context.beginOutage?.("the connection to the WebSocket server is lost");
      const reason = this.#fault ?? `closed with code ${code}`;
      this.#context.log.warn("WebSocket connection lost, reconnecting", { reason });
      socket = await this.#openAgain();
      endOutage?.(); // also if the server was given up: then nothing tries to reconnect any longer
      if (socket === undefined) break;
      this.#context.log.info("connected to the WebSocket server again");
    }
    this.#giveUp();
  }

  async #openAgain(): Promise<WebSocket | undefined> {
    const { maxRetries = Number.POSITIVE_INFINITY } = this.#options;
    for (let attempt = 1; attempt <= maxRetries; attempt++) {
      await pause(this.#backoff.next(), this.#closing.signal);
      if (this.#closing.signal.aborted) return undefined;
      const socket = await this.#open().catch(this.#logFailure);
      if (socket !== undefined) return socket;
    }
    return undefined;
  }

  async #open(): Promise<WebSocket> {
    const socket = await openSocket(this.#options.settings, {
      liveness: this.#liveness,
      stop: this.#closing.signal,
      prepare: (opening) => {
        this.#socket = opening; // so that `close` also reaches a socket that is opening
        this.#fault = undefined;
        opening.on("error", (error) => {
          if (this.#socket === opening) this.#fault ??= connectionFault(error);
        });
        this.#options.prepare(opening);
      },
    });
    if (this.#closing.signal.aborted) closeSocket(socket, 1000, "");
    return socket;
  }

  readonly #logFailure = (error: unknown): undefined => {
    const reason = startReason(toGatewayError(error, 502, "The WebSocket server cannot be reached"));
    this.#context.log.debug("no connection to the WebSocket server", { reason });
    return undefined;
  };

  #giveUp(): void {
    if (this.#closing.signal.aborted) return;
    this.#context.log.warn("gave up connecting to the WebSocket server");
    this.#options.gaveUp?.();
  }
}

/** Resolves with the close code of a socket (RFC 6455, section 7.4); 1006 if the socket was already closed. */
async function closed(socket: WebSocket): Promise<number> {
  if (socket.readyState === socket.CLOSED) return unknownCode;
  return new Promise((resolve) => socket.once("close", resolve));
}

const unknownCode = 1006;
