// Connections to the servers that are called: kept open for further requests, by a proxy where there is one.

import { Agent, type AgentOptions, type ClientRequestArgs } from "node:http";
import { Agent as EncryptedAgent } from "node:https";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectEncrypted } from "node:tls";
import { GatewayError } from "../errors.ts";
import { type TlsOptions, withTls } from "../process/tls.ts";
import type { ProxyServer } from "./proxy.ts";

/** The `transport` block; times in milliseconds, 0 for none. */
export interface TransportBlock {
  readonly dial_context?: { readonly timeout?: number; readonly keep_alive?: number };
  readonly max_idle_connections?: number;
  readonly idle_connection_timeout?: number;
  readonly tls_handshake_timeout?: number;
  readonly expect_continue_timeout?: number;
}

/** The block with nothing left out. */
export type TransportSettings = Required<TransportBlock> & {
  readonly dial_context: Required<NonNullable<TransportBlock["dial_context"]>>;
};

const defaults: TransportSettings = {
  dial_context: { timeout: 30_000, keep_alive: 30_000 },
  max_idle_connections: 100,
  idle_connection_timeout: 90_000,
  tls_handshake_timeout: 10_000,
  expect_continue_timeout: 1_000,
};

/** What a block leaves out, as its schema has it: a document may write one field of it. */
export function completeTransport(block: TransportBlock = {}): TransportSettings {
  return { ...defaults, ...block, dial_context: { ...defaults.dial_context, ...block.dial_context } };
}

/** How servers are reached. */
export interface ConnectionSettings {
  readonly tls?: TlsOptions | undefined;
  readonly proxy?: ProxyServer | undefined;
  readonly transport: TransportSettings;
}

/** The connections of one component. */
export interface Connections {
  /** The pool for addresses of that protocol (`https:`). */
  agentFor(protocol: string): Agent;
  /** Ends what is open. */
  close(): void;
}

type Done = (error: Error | null, socket: Duplex) => void;

/** Opens nothing before the first request. */
export function createConnections({ tls, proxy, transport }: ConnectionSettings): Connections {
  const options = agentOptions(transport);
  const limits: Limits = {
    dial: transport.dial_context.timeout,
    handshake: transport.tls_handshake_timeout,
  };
  const plain = limited(new Agent(options), limits);
  const encrypted = limited(
    proxy === undefined ? encryptedAgent(options, tls) : tunnelled(options, tls, proxy, limits),
    limits,
  );
  return {
    agentFor: (protocol) => (protocol === "https:" ? encrypted : plain),
    close() {
      plain.destroy();
      encrypted.destroy();
    },
  };
}

/** What of the block Node's pools take by themselves. */
export function agentOptions(transport: TransportSettings): AgentOptions & { keepAliveInitialDelay: number } {
  const { dial_context: dial, max_idle_connections: idle, idle_connection_timeout: rest } = transport;
  const probe = dial.keep_alive;
  return {
    keepAlive: true,
    keepAliveMsecs: probe,
    keepAliveInitialDelay: probe,
    maxFreeSockets: idle > 0 ? idle : Number.POSITIVE_INFINITY,
    // Ends connections that wait for a request; one in use is left to the time limit of its request.
    ...(rest > 0 && { timeout: rest }),
  };
}

const tookTooLong = "The connection took too long";

interface Limits {
  readonly dial: number;
  readonly handshake: number;
}

/** Connections that are not made in time are given up, before the time of the whole request is. */
function limited<A extends Agent>(agent: A, limits: Limits): A {
  const create = agent.createConnection.bind(agent);
  agent.createConnection = (options: ClientRequestArgs, done?: Done) => {
    const socket = create(options, done);
    if (socket !== undefined && socket !== null) limitConnecting(socket, limits);
    return socket;
  };
  return agent;
}

function limitConnecting(socket: Duplex, { dial, handshake }: Limits): void {
  const isEncrypted = "encrypted" in socket;
  const isOpen = "connecting" in socket && socket.connecting !== true;
  let timer = isOpen ? undefined : give(dial, tookTooLong);
  if (isOpen && isEncrypted) timer = give(handshake, "The TLS handshake took too long");
  socket.once("connect", () => {
    clearTimeout(timer);
    if (isEncrypted) timer = give(handshake, "The TLS handshake took too long");
  });
  socket.once("secureConnect", () => clearTimeout(timer));
  socket.once("close", () => clearTimeout(timer));

  function give(limit: number, reason: string): NodeJS.Timeout | undefined {
    return limit > 0 ? setTimeout(() => socket.destroy(new GatewayError(502, reason)), limit) : undefined;
  }
}

/** Its pools and sessions have the certificates in their names: after these were renewed, requests go by new connections. */
function encryptedAgent(options: AgentOptions, tls: TlsOptions | undefined): EncryptedAgent {
  const agent = new EncryptedAgent(options);
  withTls(agent.options, tls);
  return agent;
}

/** Encrypted connections through a proxy, which sees nothing of what they carry. */
function tunnelled(
  options: AgentOptions,
  tls: TlsOptions | undefined,
  proxy: ProxyServer,
  limits: Limits,
): EncryptedAgent {
  const agent = encryptedAgent(options, tls);
  agent.createConnection = (given: ClientRequestArgs, done?: Done) => {
    const authority = `${given.host}:${given.port}`;
    const signal = limits.dial > 0 ? AbortSignal.timeout(limits.dial) : undefined;
    proxy.connect(authority, signal).then(
      (socket) => {
        const secured = connectEncrypted({ ...tls, socket, ...nameOf(given) });
        limitConnecting(secured, limits);
        done?.(null, secured);
      },
      (error: unknown) => done?.(asError(error, signal?.aborted === true), undefined as never), // a failure comes without a socket
    );
    return undefined;
  };
  return agent;
}

/** The name that the certificate must have; an address without a name is left to the check of the certificate. */
function nameOf({ host }: ClientRequestArgs): { readonly host?: string; readonly servername?: string } {
  if (typeof host !== "string") return {};
  return isIP(host) === 0 ? { host, servername: host } : { host };
}

function asError(error: unknown, isLate: boolean): Error {
  if (error instanceof GatewayError) return error;
  const reason = isLate ? tookTooLong : "The proxy cannot be reached";
  return new GatewayError(502, reason, { cause: error });
}
