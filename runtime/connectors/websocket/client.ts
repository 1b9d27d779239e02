import { isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { type ClientOptions, WebSocket } from "ws";
import { type Text, textOf } from "../../component/text.ts";
import { GatewayError } from "../../errors.ts";
import { type Batch, Message } from "../../message/message.ts";
import { type TlsBlock, type TlsOptions, tlsOptions } from "../../process/tls.ts";
import { describeRequest } from "../../requests/describe.ts";
import type { ProxyServer } from "../../requests/proxy.ts";
import { type Credentials, type OutgoingRequest, unmakeable } from "../../requests/request.ts";
import { clientLimits } from "../../sockets/client-limits.ts";
import { keepAlive } from "../../sockets/upgrade.ts";

/** What the input and the output share of their options. */
export interface SocketSettings {
  readonly url: Text;
  readonly proxy_url?: ProxyServer | undefined;
  readonly headers?: Readonly<Record<string, Text>>;
  readonly tls?: TlsBlock;
  readonly oauth?: Credentials | undefined;
  readonly basic_auth?: Credentials | undefined;
  readonly jwt?: Credentials | undefined;
}

/** How a server that is gone is noticed; in milliseconds. */
export interface Liveness {
  readonly pingPeriod: number;
  readonly pongWait: number;
}

const handshakeTimeout = 30_000;

/** There is no message when a connection is opened. */
const noMessage: Batch = [Message.fromText("")];

/** What goes with the opening of a socket. */
export interface Opening {
  readonly liveness: Liveness;
  /** Aborted when it is wanted no more. */
  readonly stop: AbortSignal;
  /** Given the socket before it is open, as frames can come with the answer to the handshake. */
  prepare(socket: WebSocket): void;
}

/**
 * Opens a socket. Rejects with a `GatewayError`, and leaves nothing open, when that fails.
 */
export async function openSocket(
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
  await opened(socket);
  return socket;
}

/**
 * The handshake as the HTTP request that it is (RFC 6455, section 4.1): what signs requests signs it. A `tls` block
 * encrypts whatever the address says, which is settled before the address is read: `:80` would get lost in one of `http`.
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

/** Nothing that a socket can be asked to prove itself with is fetched from elsewhere. */
async function noTokens(): Promise<never> {
  throw unmakeable("its credentials would have to be fetched");
}

/** A way through the proxy, encrypted from here to the server where `tls` is given. */
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

function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.on("error", (error) => {
      const message = withCode("The WebSocket server cannot be reached", error);
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
