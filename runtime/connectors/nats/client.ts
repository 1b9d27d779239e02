import {
  type Authenticator,
  connect,
  credsAuthenticator,
  jwtAuthenticator,
  type NatsConnection,
  type NodeConnectionOptions,
  nkeyAuthenticator,
  nkeys,
  PermissionViolationError,
} from "@nats-io/transport-node";
import type { ComponentContext } from "../../component/component.ts";
import type { Text } from "../../component/text.ts";
import { refusedTarget } from "../../component/unfit-messages.ts";
import { abort } from "../../concurrency/abort.ts";
import { pause } from "../../concurrency/backoff.ts";
import type { BeginOutage, EndCondition } from "../../conditions/conditions.ts";
import { GatewayError } from "../../errors.ts";
import { networkFault, noteServer } from "../../failures/unreachable.ts";
import type { Message } from "../../message/message.ts";
import type { Logger } from "../../process/log.ts";
import { fileFault, readMachineText } from "../../process/machine-files.ts";
import { type TlsBlock, tlsOptions } from "../../process/tls.ts";
import { percentDecode } from "../../text/percent.ts";
import { splitCommas } from "../../text/trim.ts";
import { encodeUtf8 } from "../../text/utf8.ts";

/** The addresses of the servers, and how to connect to them, as documents have them. */
export interface NatsAddress {
  readonly urls: readonly string[];
  readonly tls?: TlsBlock;
  readonly auth?: NatsAuth;
}

/** The servers and credentials of a list of addresses. */
interface Addresses {
  readonly servers: string[];
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
  readonly tls?: Record<string, never>;
}

/**
 * Connects to one of the servers. A connection that is lost later is restored, however long that takes; a server that
 * no longer responds is noticed within 30 s. Rejects with a `GatewayError` if no server can be reached now.
 */
export async function connectNats(
  { urls, tls, auth }: NatsAddress,
  { log, beginOutage }: ComponentContext,
  inboxPrefix?: string,
): Promise<NatsConnection> {
  const encryption = tlsOptions(tls);
  const authenticator = createAuthenticator(auth);
  const addresses = parseAddresses(urls);
  const options: NodeConnectionOptions = {
    ...addresses,
    // The client passes these on to `tls.connect` unchanged, although its types only allow the simplest forms.
    ...(encryption !== undefined && {
      tls: encryption as unknown as NonNullable<NodeConnectionOptions["tls"]>,
    }),
    ...(authenticator !== undefined && { authenticator }),
    ...(inboxPrefix !== undefined && { inboxPrefix }),
    name: "sluice",
    timeout: 5000,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 500,
    ignoreAuthErrorAbort: true,
    pingInterval: 10_000,
    maxPingOut: 2,
  };
  try {
    const connection = await connect(options);
    void logChanges(connection, log, beginOutage);
    return connection;
  } catch (error) {
    const [server, another] = addresses.servers;
    // The client does not report which of several servers it tried last.
    const one = another === undefined ? URL.parse(`nats://${server}`) : null;
    noteServer(error, one === null ? undefined : { host: one.hostname, port: one.port });
    throw natsFailure(error, "NATS cannot be reached");
  }
}

/** Milliseconds that the server may take to read the last data. */
const farewellLimit = 2000;

/** Disconnects once the server has read everything; does not wait for a server that is gone. */
export async function disconnectNats(connection: NatsConnection): Promise<void> {
  if (connection.isClosed()) return;
  const read = new AbortController();
  const flushed = connection.flush().catch(() => undefined); // if it fails, no data is left to wait for
  await Promise.race([flushed, pause(farewellLimit, read.signal)]);
  abort(read);
  await connection.close();
}

/** Converts a failure of the client to a `GatewayError` for callers. */
export function natsFailure(error: unknown, message: string): GatewayError {
  const reason = networkFault(error)?.words ?? reasonOf(error) ?? apiCodeOf(error);
  return new GatewayError(502, reason === undefined ? message : `${message} (${reason})`, { cause: error });
}

/**
 * Returns the number of a JetStream API error.
 * Does not use its class, so that gateways without JetStream need not include it.
 */
function apiCodeOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "number" ? `error ${code}` : undefined;
}

/**
 * Known messages of the client's errors, in lower case. The messages say more than the error classes, but they also
 * quote the server. Texts of servers are only logged.
 */
const reasons = [
  "authorization violation",
  "account authentication expired",
  "user authentication expired",
  "authentication timeout",
  "permissions violation",
  "connection refused",
  "connection disconnected",
  "connection closed",
  "connection draining",
  "closed connection",
  "server does not support 'tls'",
  "'tls' is not available on this server",
  "jetstream is not enabled",
  "jetstream not enabled",
  "timeout",
] as const;

/** The reason of a failure of the client, without quotations. */
export type NatsReason = (typeof reasons)[number];

/** Returns the reason of an error of the client; `undefined` if it is not a known one. */
export function reasonOf(error: unknown): NatsReason | undefined {
  if (!(error instanceof Error)) return undefined;
  const text = error.message.toLowerCase();
  return reasons.find((reason) => text.includes(reason));
}

/**
 * Returns the subject to which the server does not let a client publish; `undefined` for other errors. The server quotes
 * it as a literal of Go, with escapes for quotation marks, backslashes and characters that cannot be printed.
 */
export function refusedSubject(error: Error): string | undefined {
  if (!(error instanceof PermissionViolationError) || error.operation !== "publish") return undefined;
  return error.subject.replace(goEscape, (_, short?: string, long?: string, itself = "") => {
    const code = short ?? long;
    return code === undefined ? itself : String.fromCodePoint(Number.parseInt(code, 16));
  });
}

/** Returns the failure of a message to a subject that the server does not let the user publish to. */
export function notAllowed(message: Message, subject: Text, cause?: Error): GatewayError {
  const failure = new GatewayError(502, "NATS does not allow the subject", { cause, retryable: false });
  return refusedTarget(message, subject, failure);
}

/** The escapes that a quoted subject may contain: subjects have no control characters. */
const goEscape = /\\(?:u([0-9a-f]{4})|U(00(?:0[0-9a-f]|10)[0-9a-f]{4})|(["\\]))/g;

/**
 * Parses addresses. They may contain credentials (`nats://user:password@host`,
 * `nats://token@host`); `tls://` encrypts.
 */
export function parseAddresses(urls: readonly string[]): Addresses {
  const parsed = urls.flatMap(splitCommas).map(parseUrl);
  const login = parsed.find(({ username }) => username !== "");
  return {
    servers: parsed.map(({ hostname, port }) => `${hostname}:${port === "" ? "4222" : port}`),
    ...(login !== undefined && credentials(login)),
    ...(parsed.some(({ protocol }) => protocol === "tls:") && { tls: {} }),
  };
}

function parseUrl(address: string): URL {
  const url = address.includes("://") ? address : `nats://${address}`;
  if (!URL.canParse(url)) throw new GatewayError(500, "An address of a NATS server cannot be read");
  return new URL(url);
}

function credentials({ username, password }: URL): { user: string; pass: string } | { token: string } {
  const user = percentDecode(username);
  return password === "" ? { token: user } : { user, pass: percentDecode(password) };
}

async function logChanges(
  connection: NatsConnection,
  log: Logger,
  beginOutage: BeginOutage | undefined,
): Promise<void> {
  let endOutage: EndCondition | undefined;
  log.info("connected to NATS", { server: connection.getServer() });
  for await (const status of connection.status()) {
    if (status.type === "disconnect") {
      endOutage ??= beginOutage?.("the connection to NATS is lost");
      log.warn("NATS connection lost, reconnecting", { server: status.server });
    } else if (status.type === "reconnect") {
      endOutage?.();
      endOutage = undefined;
      log.info("connected to NATS again", { server: status.server });
    } else if (status.type === "error") {
      log.warn("NATS refused something", { reason: status.error.message });
    }
  }
}

/** The `auth` block: exactly one of a file with an NKey seed, a credentials file, or a JWT with its seed. */
interface NatsAuth {
  readonly nkey_file?: string;
  readonly user_credentials_file?: string;
  readonly user_jwt?: string;
  readonly user_nkey_seed?: string;
}

/**
 * Returns the authenticator of the client; `undefined` if the block is empty. Reads and checks files immediately, so
 * that mistakes show at the start: throws a `GatewayError` that names only the field and the file.
 */
function createAuthenticator(auth: NatsAuth = {}): Authenticator | undefined {
  const { nkey_file = "", user_credentials_file = "", user_jwt = "", user_nkey_seed = "" } = auth;
  const ways = [nkey_file, user_credentials_file, user_jwt + user_nkey_seed].filter((way) => way !== "");
  if (ways.length === 0) return undefined;
  if (ways.length > 1) throw mistake("auth accepts only one authentication method");
  if (nkey_file !== "") {
    const name = `auth.nkey_file (${nkey_file})`;
    return nkeyAuthenticator(checkSeed(readText(nkey_file, name), name));
  }
  if (user_credentials_file !== "") return credentialsOf(user_credentials_file);
  if (user_jwt === "" || user_nkey_seed === "") {
    throw mistake("auth.user_jwt and auth.user_nkey_seed must be set together");
  }
  return jwtAuthenticator(user_jwt.trim(), checkSeed(user_nkey_seed, "auth.user_nkey_seed"));
}

function credentialsOf(file: string): Authenticator {
  const name = `auth.user_credentials_file (${file})`;
  const authenticator = credsAuthenticator(encodeUtf8(readText(file, name)));
  try {
    authenticator("nonce"); // parses the content of the file
  } catch (error) {
    throw mistake(`${name} holds no JWT with its seed`, error);
  }
  return authenticator;
}

function readText(file: string, name: string): string {
  try {
    return readMachineText(file);
  } catch (error) {
    throw mistake(`${name} cannot be read (${fileFault(error)})`, error);
  }
}

/**
 * Extracts the seed from a text that may contain comments and decorations.
 * Throws a `GatewayError` if it has no valid seed.
 */
function checkSeed(text: string, name: string): Uint8Array {
  const seed = encodeUtf8(/\bS[A-Z2-7]{57}\b/.exec(text)?.[0] ?? "");
  try {
    nkeys.fromSeed(seed);
  } catch (error) {
    throw mistake(`${name} holds no NKey seed`, error);
  }
  return seed;
}

function mistake(message: string, cause?: unknown): GatewayError {
  return new GatewayError(500, message, cause === undefined ? {} : { cause });
}
