// The limits of the listener: everything that clients could otherwise exhaust is bounded.

import { readFileSync } from "node:fs";
import type { Server } from "node:net";
import type { Logger } from "../process/log.ts";

/** The `limits` block: the most that the gateway accepts from clients. */
export interface Limits {
  readonly max_body_bytes?: number;
  readonly max_header_bytes?: number;
  readonly max_headers?: number;
  readonly max_frame_bytes?: number;
  readonly max_bytes_in_flight?: number;
  /** The most bytes of a response that a component collects. */
  readonly max_answer_bytes?: number;
  readonly max_connections?: number;
  readonly max_concurrent_streams?: number;
  /** Milliseconds, like the next two. */
  readonly head_timeout?: number;
  readonly body_timeout?: number;
  readonly idle_timeout?: number;
  readonly max_stream_instances?: number;
  /** Milliseconds. */
  readonly stream_instance_idle?: number;
  /** Milliseconds. */
  readonly store_grace?: number;
}

/** The limits of a listener with defaults applied; times in milliseconds. */
export interface ListenerLimits {
  /** Bytes of all headers of a request together. */
  readonly maxHeaderBytes: number;
  /** Headers of a request. */
  readonly maxHeaders: number;
  /** Concurrent connections in this process. */
  readonly maxConnections: number;
  /** Concurrent requests on one HTTP/2 connection. */
  readonly maxConcurrentStreams: number;
  /** The time for the head of a request, and for the TLS handshake. */
  readonly headTime: number;
  /** The time for the body after the head. */
  readonly bodyTime: number;
  /** The time that a connection stays open without a request. */
  readonly idleTime: number;
}

const defaults: ListenerLimits = {
  maxHeaderBytes: 16 * 1024,
  maxHeaders: 100,
  maxConnections: 10_000,
  maxConcurrentStreams: 100,
  headTime: 30_000,
  bodyTime: 300_000,
  // Longer than the idle timeout of common load balancers, so that they close first.
  idleTime: 65_000,
};

/** Applies the defaults; each of `workers` processes gets its share of the connections. */
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

/** The most connections to the admin listener: probes, scrapes and pages of operators need few. */
const mostOfOperators = 256;

/** The fewest file descriptors that client connections leave for brokers, upstreams, stores and files. */
const fewestKept = 32;

/**
 * Returns the number of connections that the limit of open files allows. Without free descriptors the system would drop
 * connections without a trace, and the gateway could not reach its brokers.
 */
function connectionsForFiles(): number {
  const files = openFiles();
  return Math.max(1, files - keptOf(files));
}

/** Returns the most connections to the admin listener, out of the descriptors that clients leave. */
export function adminConnections(): number {
  const files = openFiles();
  return Number.isFinite(files) ? Math.min(mostOfOperators, Math.ceil(keptOf(files) / 2)) : mostOfOperators;
}

function keptOf(files: number): number {
  return Number.isFinite(files) ? Math.max(fewestKept, Math.ceil(files / 4)) : 0;
}

/** Returns the limit of open files; `Infinity` if it is unknown. */
function openFiles(): number {
  const [, limit] = /^Max open files\s+(\d+)/m.exec(limitsOfProcess()) ?? [];
  return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
}

function limitsOfProcess(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    // Only Linux has this file.
    return "";
  }
}

/**
 * Logs once when connections over the limit are dropped, and then how many were dropped, each minute and at the end.
 */
export function logDropped(server: Server, log: Logger, fields: Readonly<Record<string, string>> = {}): void {
  const interval = 60_000;
  let connections = 0;
  let timer: NodeJS.Timeout | undefined;
  const warn = () => {
    if (connections > 0)
      log.warn("too many connections, new ones are dropped", {
        connections,
        most: server.maxConnections,
        ...fields,
      });
    connections = 0;
  };
  const report = () => {
    timer = connections > 0 ? setTimeout(report, interval).unref() : undefined;
    warn();
  };
  server.on("drop", () => {
    connections += 1;
    if (timer === undefined) report();
  });
  server.once("close", () => {
    clearTimeout(timer);
    warn();
  });
}
