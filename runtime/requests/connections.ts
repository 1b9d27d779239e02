// Connections to other servers, kept open for further requests and opened through a proxy if one is configured.

import { Agent, type AgentOptions, type ClientRequestArgs, type RequestOptions } from "node:http";
import { Agent as EncryptedAgent } from "node:https";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectEncrypted } from "node:tls";
import { GatewayError } from "../errors.ts";
import { type TlsOptions, withTls } from "../process/tls.ts";
import type { ProxyServer } from "./proxy.ts";
import type { AbortState } from "./request.ts";
import { abortError, type ParserClass, Wire, type WireRequest } from "./wire.ts";
import type { WireReply } from "./wire-reply.ts";

/** The `transport` block; times in milliseconds, 0 for no limit. */
export interface TransportBlock {
  readonly dial_context?: { readonly timeout?: number; readonly keep_alive?: number };
  readonly max_idle_connections?: number;
  readonly idle_connection_timeout?: number;
  readonly tls_handshake_timeout?: number;
  readonly expect_continue_timeout?: number;
}

/** The block with all fields set. */
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

/** Completes a block with the defaults of its schema. */
export function completeTransport(block: TransportBlock = {}): TransportSettings {
  return { ...defaults, ...block, dial_context: { ...defaults.dial_context, ...block.dial_context } };
}

/** The settings for reaching servers. */
export interface ConnectionSettings {
  readonly tls?: TlsOptions | undefined;
  readonly proxy?: ProxyServer | undefined;
  readonly transport: TransportSettings;
}

/** The connections of one component. */
export interface Connections {
  /** Returns the pool for addresses with this protocol, such as `https:`. */
  agentFor(protocol: string): Agent;
  /** Closes the open connections. */
  close(): void;
}

type Done = (error: Error | null, socket: Duplex) => void;

/** Returns connections; opens none before the first request. */
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

/** Returns the settings of the block that Node's connection pools support directly. */
export function agentOptions(transport: TransportSettings): AgentOptions & { keepAliveInitialDelay: number } {
  const { dial_context: dial, max_idle_connections: idle, idle_connection_timeout: rest } = transport;
  const probe = dial.keep_alive;
  return {
    keepAlive: true,
    keepAliveMsecs: probe,
    keepAliveInitialDelay: probe,
    maxFreeSockets: idle > 0 ? idle : Number.POSITIVE_INFINITY,
    // Closes connections that wait for a request; the time limit of the request applies to a connection in use.
    ...(rest > 0 && { timeout: rest }),
  };
}

const tookTooLong = "The connection took too long";

interface Limits {
  readonly dial: number;
  readonly handshake: number;
}

/** Gives up connections that are not established in time, before the time of the whole request is over. */
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

/** Returns a pool whose keys contain the certificates: after a renewal, requests use new connections. */
function encryptedAgent(options: AgentOptions, tls: TlsOptions | undefined): EncryptedAgent {
  const agent = new EncryptedAgent(options);
  withTls(agent.options, tls);
  return agent;
}

/** Returns a pool of encrypted connections through a proxy, which cannot read their content. */
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
      (error: unknown) => done?.(asError(error, signal?.aborted === true), undefined as never), // failed: no socket
    );
    return undefined;
  };
  return agent;
}

/** Returns the name that the certificate must have; for an IP address, the check of the certificate itself decides. */
function nameOf({ host }: ClientRequestArgs): { readonly host?: string; readonly servername?: string } {
  if (typeof host !== "string") return {};
  return isIP(host) === 0 ? { host, servername: host } : { host };
}

function asError(error: unknown, isLate: boolean): Error {
  if (error instanceof GatewayError) return error;
  const reason = isLate ? tookTooLong : "The proxy cannot be reached";
  return new GatewayError(502, reason, { cause: error });
}

/** The server of requests. */
export interface WireTarget {
  /** Opens the connections. */
  readonly agent: Agent & { readonly options?: object };
  readonly to: RequestOptions;
  /** What identifies the server; without it, the agent names what it would connect with at the time. */
  readonly key?: string;
}

/** The longest time of a timer of Node, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

/**
 * Bytes that a read takes at most. Each connection has one buffer for its reads: Node would allocate as much for each, and
 * shrink it to what has arrived. Pages that were never written take no memory.
 */
const readSize = 64 * 1024;

/** Connections that are kept open for further requests. */
export class Wires {
  readonly #parser: ParserClass;
  readonly #mostIdle: number;
  readonly #longestIdle: number;
  /** Idle connections by server; the last one was used last. */
  readonly #idle = new Map<string, Wire[]>();
  readonly #all = new Set<Wire>();
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  #wakesAt = Number.POSITIVE_INFINITY;

  constructor(
    parser: ParserClass,
    { max_idle_connections: most, idle_connection_timeout: longest }: TransportSettings,
  ) {
    this.#parser = parser;
    this.#mostIdle = most > 0 ? most : Number.POSITIVE_INFINITY;
    this.#longestIdle = longest > 0 ? Math.min(longest, longestTimer) : Number.POSITIVE_INFINITY;
  }

  /** Sends a request over an idle connection, or a new one. */
  send(target: WireTarget, request: WireRequest, signal: AbortState): Promise<WireReply> {
    const { agent, to } = target;
    const key = target.key ?? agent.getName({ ...to, ...agent.options });
    const idle = this.#takeIdle(key);
    if (idle !== undefined) return idle.send(request, signal);
    return this.#open(target, key, signal).then((wire) => wire.send(request, signal));
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#isClosed = true;
    for (const wire of this.#all) wire.destroy();
  }

  #open({ agent, to }: WireTarget, key: string, signal: AbortState): Promise<Wire> {
    // The agent keeps sessions of TLS under this key.
    const buffer = Buffer.allocUnsafeSlow(readSize);
    let opened: Wire | undefined;
    // A connection inside another one ignores `onread`, and emits its data.
    const onread = {
      buffer,
      callback(length: number) {
        opened?.read(buffer.subarray(0, length));
        return true;
      },
    };
    const options = { ...to, ...agent.options, onread, _agentKey: key };
    return new Promise((resolve, reject) => {
      let isOpen = false;
      const abort = () => reject(abortError(signal));
      const take = (socket: Duplex) => {
        if (isOpen) return;
        isOpen = true;
        if (this.#isClosed || signal.aborted) socket.destroy();
        const release = (wire: Wire, patience: number) => this.#keep(key, wire, patience);
        const wire = new Wire(this.#parser, socket, release, () => this.#forget(key, wire));
        opened = wire;
        this.#all.add(wire);
        resolve(wire);
      };
      // A connection that is returned calls back without arguments.
      const socket = agent.createConnection(options, (error?: Error | null, later?: Duplex) => {
        signal.removeEventListener("abort", abort);
        if (error) reject(error);
        else if (later !== undefined) take(later);
      });
      if (socket) take(socket);
      // A connection through a proxy is only returned once it is open.
      else if (signal.aborted) abort();
      else signal.addEventListener("abort", abort, { once: true });
    });
  }

  #takeIdle(key: string): Wire | undefined {
    const idle = this.#idle.get(key);
    if (idle === undefined) return undefined;
    for (let wire = idle.pop(); wire !== undefined; wire = idle.pop()) if (wire.isOpen) return wire;
    return undefined;
  }

  #keep(key: string, wire: Wire, patience: number): void {
    const idle = this.#idle.get(key) ?? [];
    if (idle.length >= this.#mostIdle) wire.destroy();
    else {
      this.#idle.set(key, idle);
      idle.push(wire);
      const now = performance.now();
      wire.idleUntil = now + Math.min(patience, this.#longestIdle);
      this.#wakeAt(wire.idleUntil, now);
    }
  }

  #forget(key: string, wire: Wire): void {
    this.#all.delete(wire);
    const left = this.#idle.get(key)?.filter((each) => each !== wire) ?? [];
    if (left.length > 0) this.#idle.set(key, left);
    else this.#idle.delete(key);
  }

  /** One timer closes the idle connections of all servers: it is set anew only for one that ends earlier. */
  #wakeAt(time: number, now: number): void {
    if (time >= this.#wakesAt) return;
    clearTimeout(this.#timer);
    this.#wakesAt = time;
    // Servers may name a longer time than a timer can wait.
    const wait = Math.min(time - now, longestTimer);
    this.#timer = setTimeout(() => this.#closeIdle(), wait).unref();
  }

  #closeIdle(): void {
    this.#wakesAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    for (const wire of [...this.#idle.values()].flat()) {
      if (wire.idleUntil <= now) wire.destroy();
      else this.#wakeAt(wire.idleUntil, now);
    }
  }
}
