// The settings of the process: from the environment if set there, otherwise from the definition.

import type { GatewayDefinition, Setting } from "../gateway.ts";
import { type ListenerLimits, listenerLimits } from "../http/listener-limits.ts";
import type { Environment } from "../process/environment.ts";
import { matching } from "../process/environment-limits.ts";
import { inheritedAddress, isInherited } from "../process/inherited-sockets.ts";
import { type ListenAddress, parseListenAddress } from "../process/listen-address.ts";
import { type LogLevel, logLevels, parseLogLevel } from "../process/log.ts";
import { defaultAnswerBytes, defaultBytesInFlight } from "../process/memory/body-budget.ts";
import type { InstanceLimits } from "../stream/instances/stream-instances.ts";
import type { AdminAccess } from "./admin/access.ts";

/** The settings with all defaults applied. */
export interface Settings {
  readonly streaming: boolean;
  readonly listen: ListenAddress;
  readonly adminListen: ListenAddress;
  /** Who may use the admin listener. */
  readonly adminAccess: AdminAccess;
  /** Milliseconds between failing readiness and closing the listeners when the gateway stops. */
  readonly drainDelay: number;
  /** Milliseconds to finish what is in flight when the gateway stops. */
  readonly shutdownTimeout: number;
  readonly maxBodyBytes: number;
  readonly maxFrameBytes: number;
  /** The most bytes of bodies and messages that are held at a time, for all clients together. */
  readonly maxBytesInFlight: number;
  /** The most bytes of a response that a component collects. */
  readonly maxAnswerBytes: number;
  readonly listener: ListenerLimits;
  /** The number of processes that serve together. */
  readonly workers: number;
  /** Milliseconds for which known keys of the store stay valid while the store is unreachable. */
  readonly storeGrace: number;
  /** The limits of instances, for streams that read variables of requests. */
  readonly instances: InstanceLimits;
}

const defaultAdminListen = "127.0.0.1:8081";
const defaultMaxBodyBytes = 16 * 1024 * 1024;
const defaultMaxFrameBytes = 16 * 1024 * 1024;
const defaultInstances: InstanceLimits = { most: 100, idle: 60_000 };
const defaultShutdownTimeout = 30_000;
const defaultStoreGrace = 60_000;

/** Reads `GW_*` variables; `environment` records each one that is invalid. */
export function readSettings(
  environment: Environment,
  definition: GatewayDefinition,
  defaultListen = "127.0.0.1:8080",
): Settings {
  function address(name: string, fallback: Setting<string>): ListenAddress {
    const text = environment.text(name, readSetting(fallback, environment));
    if (isInherited(text)) return inheritedAddress(name, text, environment);
    const parsed = parseListenAddress(text);
    if (parsed === undefined) environment.refuse(name, `is not an address such as 127.0.0.1:8080: ${text}`);
    return parsed ?? { port: 0 };
  }

  const limits = readSetting(definition.limits ?? {}, environment);
  const workers = readWorkers(environment);
  // The gateway's own address comes first, so that its problems are reported first.
  const listen = address("GW_LISTEN", definition.listen ?? defaultListen);
  const adminListen = address("GW_ADMIN_LISTEN", definition.adminListen ?? defaultAdminListen);
  const settings: Settings = {
    streaming: environment.boolean("GW_STREAMING_ENABLED", definition.streaming.enabled),
    listen,
    adminListen,
    adminAccess: readAdminAccess(environment, adminListen),
    drainDelay: readDrainDelay(environment),
    shutdownTimeout: environment.duration("GW_SHUTDOWN_TIMEOUT", defaultShutdownTimeout),
    workers,
    maxBodyBytes: limits.max_body_bytes ?? defaultMaxBodyBytes,
    maxFrameBytes: limits.max_frame_bytes ?? defaultMaxFrameBytes,
    maxBytesInFlight: readBytesInFlight(environment, limits.max_bytes_in_flight),
    maxAnswerBytes: limits.max_answer_bytes ?? defaultAnswerBytes,
    listener: listenerLimits(limits, workers),
    storeGrace: limits.store_grace ?? defaultStoreGrace,
    instances: {
      most: limits.max_stream_instances ?? defaultInstances.most,
      idle: limits.stream_instance_idle ?? defaultInstances.idle,
    },
  };
  for (const name of ["head_timeout", "body_timeout", "idle_timeout"] as const) {
    // Node.js reads 0 as no limit.
    if (limits[name] === 0) environment.refuse(`limits.${name}`, "leaves clients no time");
  }
  return settings;
}

/** Returns `GW_MAX_BYTES_IN_FLIGHT`, or `limits.max_bytes_in_flight`. */
export function readBytesInFlight(environment: Environment, configured = defaultBytesInFlight): number {
  const bytes = environment.integer("GW_MAX_BYTES_IN_FLIGHT", configured);
  if (bytes < 1) environment.refuse("GW_MAX_BYTES_IN_FLIGHT", "is not an integer of at least 1");
  return bytes;
}

/** What the header `host` of a request can name, apart from its port. */
const hostName = /* @__PURE__ */ matching(/^[\w.-]+$/, "a host name without a port");

/** A shorter token can be guessed, and headers carry no other characters. */
const adminToken = /* @__PURE__ */ matching(
  /^[\x21-\x7e]{16,}$/,
  "16 or more ASCII characters without blanks",
);

/**
 * Reads who may use the admin listener; the name that it is bound to is a permitted host. A client that guesses a token
 * can read the endpoints for operators, so it must not be short.
 */
function readAdminAccess(environment: Environment, { host }: ListenAddress): AdminAccess {
  const names = environment.list("GW_ADMIN_HOSTS", [], hostName);
  const token = environment.text("GW_ADMIN_TOKEN", "", adminToken);
  return {
    hosts: [...names, ...(host === undefined ? [] : [host])].map((name) =>
      name.toLowerCase().replace(/\.$/, ""),
    ),
    ...(token !== "" && { token }),
  };
}

/** Milliseconds; a longer delay would block a rollout. */
const longestDrainDelay = 3_600_000;

function readDrainDelay(environment: Environment): number {
  const delay = environment.duration("GW_DRAIN_DELAY", 0);
  if (delay < 0 || delay > longestDrainDelay)
    environment.refuse("GW_DRAIN_DELAY", "is not between 0s and 1h");
  return delay;
}

/** The most workers: more workers than the machine has processors do not help. */
const mostWorkers = 256;

function readWorkers(environment: Environment): number {
  const workers = environment.integer("GW_WORKERS", 1);
  if (workers < 1 || workers > mostWorkers)
    environment.refuse("GW_WORKERS", `is not between 1 and ${mostWorkers}`);
  return workers;
}

function readSetting<T extends string | object>(setting: Setting<T>, environment: Environment): T {
  return typeof setting === "function" ? setting(environment) : setting;
}

/** Reads `GW_LOG_LEVEL`. */
export function readLogLevel(environment: Environment): LogLevel {
  const level = parseLogLevel(environment.text("GW_LOG_LEVEL", "info"));
  if (level === undefined) environment.refuse("GW_LOG_LEVEL", `is not one of ${logLevels.join(", ")}`);
  return level ?? "info";
}
