import type { Probing } from "../probe/probe.ts";
import { type ProbedAddress, probeAddresses } from "../probe/probe-address.ts";
import { probeContext } from "../probe/probe-context.ts";
import { causesOf, ProbeFailure } from "../probe/probe-failures.ts";
import { tlsOptions } from "../process/tls.ts";
import { createRedisConnection, type RedisAddress, type RedisConnection } from "./redis-client.ts";

/** What the probe reads of the options of caches and rate limits. */
export interface RedisProbeOptions extends RedisAddress {
  /** Of a cache. */
  readonly prefix?: string;
  /** Of a rate limit. */
  readonly key?: string;
}

/** Logs in, asks for a sign of life and looks at one key; writes nothing. */
export async function probeRedis(options: RedisProbeOptions, probing: Probing): Promise<void> {
  if (probing.isComputed(options, "url", "tls", "prefix", "key")) return;
  if (!(await probeAddresses([addressOf(options)], probing))) return;
  const connection = await probing.open("login", () => open(options), close);
  await probing.check("answer to PING", () => asking(connection.ask((redis) => redis.ping())));
  const key = options.key ?? `${options.prefix ?? ""}sluice-connection-test`;
  await probing.check("right to read", () => asking(connection.ask((redis) => redis.exists(key))));
  probing.skip("right to write", "Redis only tells when something is written");
}

function addressOf({ url: text, tls: block }: RedisAddress): ProbedAddress {
  const url = URL.parse(text.includes("://") ? text : `redis://${text}`);
  if (url === null)
    throw new ProbeFailure("settings", "the address cannot be read", { advice: "Correct `url`" });
  const encryption = tlsOptions(block);
  const tls = encryption ?? (url.protocol === "rediss:" ? { rejectUnauthorized: true } : undefined);
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port || 6379), tls };
}

async function open(address: RedisAddress): Promise<RedisConnection> {
  const connection = createRedisConnection(address);
  await asking(connection.start(probeContext()));
  return connection;
}

function close(connection: RedisConnection): Promise<void> {
  return connection.close();
}

/** Redis says what is wrong in the first word of an answer. */
async function asking<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw understand(causesOf(error).map(({ message }) => message)) ?? error;
  }
}

function understand(answers: readonly string[]): ProbeFailure | undefined {
  const begins = (...words: readonly string[]) =>
    answers.some((answer) => words.some((word) => answer.startsWith(word)));
  if (begins("WRONGPASS", "ERR AUTH", "ERR invalid password")) {
    return new ProbeFailure("authentication", "the user or the password is wrong", {
      advice: "Correct the user and password in `url`",
    });
  }
  if (begins("NOAUTH")) {
    return new ProbeFailure("authentication", "Redis wants a password", {
      advice: "Put it into `url`: redis://user:password@host:6379",
    });
  }
  if (begins("NOPERM")) {
    return new ProbeFailure("forbidden", "the user may not do that", {
      advice: "Give the user the right in the access list of Redis",
    });
  }
  if (begins("LOADING", "MASTERDOWN", "READONLY")) {
    return new ProbeFailure("other", "Redis is not ready to serve", { advice: "Try again when it is" });
  }
  return undefined;
}
