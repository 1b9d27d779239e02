// What the listener accepts at most: everything that clients could otherwise use up has an end.

import { readFileSync } from "node:fs";
import type { Server } from "node:net";
import type { Logger } from "../process/log.ts";

/** Most the gateway accepts from clients. */
export interface Limits {
  readonly max_body_bytes?: number;
  readonly max_header_bytes?: number;
  readonly max_headers?: number;
  readonly max_frame_bytes?: number;
  readonly max_bytes_in_flight?: number;
  /** Of an answer that a component collects. */
  readonly max_answer_bytes?: number;
  readonly max_connections?: number;
  readonly max_concurrent_streams?: number;
  /** Milliseconds, as the two below. */
  readonly head_timeout?: number;
  readonly body_timeout?: number;
  readonly idle_timeout?: number;
  readonly max_stream_instances?: number;
  /** Milliseconds. */
  readonly stream_instance_idle?: number;
  /** Milliseconds. */
  readonly store_grace?: number;
}

/** Limits of a listener as they are used; times in milliseconds. */
export interface ListenerLimits {
  /** Bytes of all headers of a request together. */
  readonly maxHeaderBytes: number;
  /** Headers of a request. */
  readonly maxHeaders: number;
  /** Connections open at once in this process. */
  readonly maxConnections: number;
  /** Requests that one connection of HTTP/2 may have open at once. */
  readonly maxConcurrentStreams: number;
  /** Time a client has for the head of a request, and for the handshake of TLS. */
  readonly headTime: number;
  /** Time it then has for the body. */
  readonly bodyTime: number;
  /** Time a connection stays open without a request. */
  readonly idleTime: number;
}

const defaults: ListenerLimits = {
  maxHeaderBytes: 16 * 1024,
  maxHeaders: 100,
  maxConnections: 10_000,
  maxConcurrentStreams: 100,
  headTime: 30_000,
  bodyTime: 300_000,
  // Longer than the idle time of usual load balancers, so that it is they who close.
  idleTime: 65_000,
};

/** What is written, with defaults; each of `workers` processes gets its share of the connections. */
export function listenerLimits(limits: Limits, workers: number): ListenerLimits {
  return {
    maxHeaderBytes: limits.max_header_bytes ?? defaults.maxHeaderBytes,
    maxHeaders: limits.max_headers ?? defaults.maxHeaders,
    maxConnections: Math.min(
      Math.ceil((limits.max_connections ?? defaults.maxConnections) / workers),
      connectionsForFiles(),
    ),
    maxConcurrentStreams: limits.max_concurrent_streams ?? defaults.maxConcurrentStreams,
    headTime: limits.head_timeout ?? defaults.headTime,
    bodyTime: limits.body_timeout ?? defaults.bodyTime,
    idleTime: limits.idle_timeout ?? defaults.idleTime,
  };
}

/** Probes, scrapes and pages of operators need few connections. */
const mostOfOperators = 256;

/** File descriptors that clients leave to brokers, upstreams, stores and files, at least. */
const fewestKept = 32;

/**
 * Connections that the limit of open files allows. Without free descriptors the system drops connections uncounted, and the
 * gateway cannot reach its brokers.
 */
function connectionsForFiles(): number {
  const files = openFiles();
  return Math.max(1, files - keptOf(files));
}

/** Connections that the listener for operators takes, of the descriptors that clients leave. */
export function adminConnections(): number {
  const files = openFiles();
  return Number.isFinite(files) ? Math.min(mostOfOperators, Math.ceil(keptOf(files) / 2)) : mostOfOperators;
}

function keptOf(files: number): number {
  return Number.isFinite(files) ? Math.max(fewestKept, Math.ceil(files / 4)) : 0;
}

/** The limit of open files, or of none. */
function openFiles(): number {
  const [, limit] = /^Max open files\s+(\d+)/m.exec(limitsOfProcess()) ?? [];
  return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
}

function limitsOfProcess(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    // Only Linux says.
    return "";
  }
}

/** Says once that connections are dropped for being too many, and then how many were, once a minute and at the end. */
export function logDropped(server: Server, log: Logger, fields: Readonly<Record<string, string>> = {}): void {
  const interval = 60_000;
  let connections = 0;
  let timer: NodeJS.Timeout | undefined;
  const warn = () => {
    if (connections > 0)
      log.warn("connections dropped, as there are too many", {
        connections,
        most: server.maxConnections,
        ...fields,
      });
    connections = 0;
  };
  const tell = () => {
    timer = connections > 0 ? setTimeout(tell, interval).unref() : undefined;
    warn();
  };
  server.on("drop", () => {
    connections += 1;
    if (timer === undefined) tell();
  });
  server.once("close", () => {
    clearTimeout(timer);
    warn();
  });
}
