// What belongs to the process: from the environment where it is set there, else from the definition.

import type { GatewayDefinition, Setting } from "../gateway.ts";
import { type ListenerLimits, listenerLimits } from "../http/listener-limits.ts";
import { type Environment, EnvironmentError } from "../process/environment.ts";
import { inheritedAddress, isInherited } from "../process/inherited-sockets.ts";
import { type ListenAddress, parseListenAddress } from "../process/listen-address.ts";
import { type LogLevel, logLevels, parseLogLevel } from "../process/log.ts";
import { defaultAnswerBytes, defaultBytesInFlight } from "../process/memory/body-budget.ts";
import type { InstanceLimits } from "../stream/instances/stream-instances.ts";
import type { AdminAccess } from "./admin/access.ts";

/** Settings as they are used. */
export interface Settings {
  readonly streaming: boolean;
  readonly listen: ListenAddress;
  readonly adminListen: ListenAddress;
  /** Who may ask there. */
  readonly adminAccess: AdminAccess;
  /** Milliseconds between failing readiness and closing the listeners when the gateway stops. */
  readonly drainDelay: number;
  /** Milliseconds for what is in flight when the gateway stops. */
  readonly shutdownTimeout: number;
  readonly maxBodyBytes: number;
  readonly maxFrameBytes: number;
  /** Of bodies and messages that are held at once, of all clients together. */
  readonly maxBytesInFlight: number;
  /** Of an answer that a component collects. */
  readonly maxAnswerBytes: number;
  readonly listener: ListenerLimits;
  /** Processes that serve together. */
  readonly workers: number;
  /** Milliseconds that keys of the store which are known go on while it is away. */
  readonly storeGrace: number;
  /** Of streams that read variables of requests. */
  readonly instances: InstanceLimits;
}

const defaultAdminListen = "127.0.0.1:8081";
const defaultMaxBodyBytes = 16 * 1024 * 1024;
const defaultMaxFrameBytes = 16 * 1024 * 1024;
const defaultInstances: InstanceLimits = { most: 100, idle: 60_000 };
const defaultShutdownTimeout = 30_000;
const defaultStoreGrace = 60_000;

/** Reads `GW_*` variables. Throws an `EnvironmentError` that names each one that cannot be read. */
export function readSettings(
  environment: Environment,
  definition: GatewayDefinition,
  defaultListen: string,
): Settings {
  const problems: string[] = [];

  function address(name: string, fallback: Setting<string>): ListenAddress {
    const text = environment.text(name, readSetting(fallback, environment));
    if (isInherited(text)) return inheritedAddress(name, text, environment, problems);
    const parsed = parseListenAddress(text);
    if (parsed === undefined) problems.push(`${name} is not an address such as 127.0.0.1:8080: ${text}`);
    return parsed ?? { port: 0 };
  }

  const limits = readSetting(definition.limits ?? {}, environment);
  const workers = readWorkers(environment, problems);
  // The gateway's own address first, so that its problems are reported first.
  const listen = address("GW_LISTEN", definition.listen ?? defaultListen);
  const adminListen = address("GW_ADMIN_LISTEN", definition.adminListen ?? defaultAdminListen);
  const settings: Settings = {
    streaming: environment.boolean("GW_STREAMING_ENABLED", definition.streaming.enabled),
    listen,
    adminListen,
    adminAccess: readAdminAccess(environment, adminListen, problems),
    drainDelay: readDrainDelay(environment, problems),
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
    // Node takes 0 for no limit.
    if (limits[name] === 0) problems.push(`limits.${name} leaves clients no time`);
  }
  if (problems.length > 0) throw new EnvironmentError(problems);
  return settings;
}

/** `GW_MAX_BYTES_IN_FLIGHT` wins over `limits.max_bytes_in_flight`; throws an `EnvironmentError` where it is not a size. */
export function readBytesInFlight(environment: Environment, configured = defaultBytesInFlight): number {
  const bytes = environment.integer("GW_MAX_BYTES_IN_FLIGHT", configured);
  if (bytes < 1) throw new EnvironmentError(["GW_MAX_BYTES_IN_FLIGHT is not an integer of at least 1"]);
  return bytes;
}

/** A client that guesses it can read the endpoints for operators. */
const shortestToken = 16;

/** The name that the listener is bound to is one that it is asked under. */
function readAdminAccess(environment: Environment, { host }: ListenAddress, problems: string[]): AdminAccess {
  const hosts = [...environment.list("GW_ADMIN_HOSTS", []), ...(host === undefined ? [] : [host])];
  const token = environment.text<string>("GW_ADMIN_TOKEN", "");
  if (token !== "" && !/^[\x21-\x7e]*$/.test(token))
    problems.push("GW_ADMIN_TOKEN holds blanks or letters beyond ASCII");
  if (token !== "" && token.length < shortestToken)
    problems.push(`GW_ADMIN_TOKEN has fewer than ${shortestToken} characters`);
  return {
    hosts: hosts.map((name) => name.toLowerCase().replace(/\.$/, "")),
    ...(token !== "" && { token }),
  };
}

/** Milliseconds; a listener that stays open for longer keeps a deployment from getting anywhere. */
const longestDrainDelay = 3_600_000;

function readDrainDelay(environment: Environment, problems: string[]): number {
  const delay = environment.duration("GW_DRAIN_DELAY", 0);
  if (delay < 0 || delay > longestDrainDelay) problems.push("GW_DRAIN_DELAY is not between 0s and 1h");
  return delay;
}

/** More workers than a machine has processors do not help. */
const mostWorkers = 256;

function readWorkers(environment: Environment, problems: string[]): number {
  const workers = environment.integer("GW_WORKERS", 1);
  if (workers < 1 || workers > mostWorkers) problems.push(`GW_WORKERS is not between 1 and ${mostWorkers}`);
  return workers;
}

function readSetting<T extends string | object>(setting: Setting<T>, environment: Environment): T {
  return typeof setting === "function" ? setting(environment) : setting;
}

/** Reads `GW_LOG_LEVEL`; throws an `EnvironmentError` when it names no level. */
export function readLogLevel(environment: Environment): LogLevel {
  const level = parseLogLevel(environment.text("GW_LOG_LEVEL", "info"));
  if (level === undefined) throw new EnvironmentError([`GW_LOG_LEVEL is not one of ${logLevels.join(", ")}`]);
  return level;
}
