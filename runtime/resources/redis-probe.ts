import { isFixed, type ProbedText, type Probing, probeContext } from "../probe/probe.ts";
import { type ProbedAddress, probeAddresses } from "../probe/probe-address.ts";
import { causesOf, ProbeFailure } from "../probe/probe-failures.ts";
import { tlsOptions } from "../process/tls.ts";
import { parseRedisAddresses } from "./redis-addresses.ts";
import { createRedisConnection, type RedisAddress, type RedisConnection } from "./redis-client.ts";

/** The options of caches and rate limits that the probe reads. */
export interface RedisProbeOptions extends RedisAddress {
  /** The prefix of a cache. */
  readonly prefix?: string;
  /** The key of a rate limit, a list or a hash. */
  readonly key?: ProbedText;
  /** The streams of an input. */
  readonly streams?: readonly string[];
  /** The stream of an output. */
  readonly stream?: ProbedText;
}

/** Logs in, sends PING and checks for one key; writes nothing. */
export async function probeRedis(options: RedisProbeOptions, probing: Probing): Promise<void> {
  if (probing.isComputed(options, "url", "master", "tls", "prefix")) return;
  if (!(await probeAddresses(addressesOf(options), probing))) return;
  const connection = await probing.open("login", () => open(options), close);
  await probing.check("answer to PING", () => asking(connection.ask((redis) => redis.ping())));
  const key =
    options.key ?? options.stream ?? options.streams?.[0] ?? `${options.prefix ?? ""}sluice-connection-test`;
  if (!isFixed(key)) return probing.skip("right to read", "the key is computed from each message");
  await probing.check("right to read", () => asking(connection.ask((redis) => redis.exists(key))));
  probing.skip("right to write", "Redis reports it only when something is written");
}

function addressesOf({ url, tls: block }: RedisAddress): readonly ProbedAddress[] {
  const { servers, tls: given } = parseRedisAddresses(url.includes("://") ? url : `redis://${url}`);
  const tls = tlsOptions(block) ?? given;
  return servers.map((server) => ({ ...server, tls }));
}

async function open(address: RedisAddress): Promise<RedisConnection> {
  const connection = createRedisConnection(address);
  await asking(connection.start(probeContext()));
  return connection;
}

function close(connection: RedisConnection): Promise<void> {
  return connection.close();
}

/** Runs `work`; recognises errors by the first word of Redis' response. */
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
    return new ProbeFailure("authentication", "Redis requires a password", {
      advice: "Put it into `url`: redis://user:password@host:6379",
    });
  }
  if (begins("NOPERM")) {
    return new ProbeFailure("forbidden", "the user may not do that", {
      advice: "Give the user the right in the access list of Redis",
    });
  }
  if (begins("LOADING", "MASTERDOWN", "READONLY")) {
    return new ProbeFailure("other", "Redis is not ready to serve", { advice: "Retry when it is ready" });
  }
  return undefined;
}
