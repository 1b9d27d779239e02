import type { Input } from "../../../component/component.ts";
import { GatewayError } from "../../../errors.ts";
import { readerInput } from "../input.ts";
import { findTopics } from "../patterns.ts";
import type { ReaderSettings } from "../reader.ts";
import { saslMethod } from "../sasl.ts";
import { parseSelection } from "../selection.ts";
import { type KafkaFranzInputOptions, kafkaFranzInputDefaults } from "./generated/input-options.ts";

/** Like `kafkaInput`, with the options of `kafka_franz`. */
export function kafkaFranzInput(options: KafkaFranzInputOptions): Input {
  return readerInput(readerSettings(options));
}

/** Number of records of one partition that may wait. */
const ahead = 256;

function readerSettings(options: KafkaFranzInputOptions): ReaderSettings {
  const settings = { ...kafkaFranzInputDefaults, ...options };
  const { client_id, tls, fetch_max_wait: maxWait } = settings;
  if (settings.consumer_group !== "" && !settings.regexp_topics) refusePartitions(settings.topics);
  const { auto_offset_reset: reset = settings.start_from_oldest ? "earliest" : "latest" } = settings;
  return {
    connection: { addresses: settings.seed_brokers, client_id, tls, sasl: saslMethod(settings.sasl) },
    topics: settings.topics,
    ...(settings.regexp_topics && { findTopics }),
    group: settings.consumer_group,
    membership: { sessionTimeout: 10_000, heartbeatInterval: 500, rebalanceTimeout: 60_000 },
    balancers: settings.group_balancers.filter((balancer) => balancer !== "cooperative_sticky"),
    fetching: {
      maxWait,
      maxBytes: bytesOf("fetch_max_bytes", settings.fetch_max_bytes),
      maxBytesPerPartition: bytesOf("fetch_max_partition_bytes", settings.fetch_max_partition_bytes),
      metadataMaxAge: settings.metadata_max_age,
      rackId: settings.rack_id,
      readUncommitted: settings.transaction_isolation_level === "read_uncommitted",
    },
    fromBeginning: reset === "earliest",
    limit: settings.checkpoint_limit,
    ahead,
    commitPeriod: settings.commit_period,
    replays: settings.auto_replay_nacks,
    multiHeader: settings.multi_header,
    rateLimit: settings.rate_limit,
  };
}

/** Throws if a topic names partitions. The checker reports this too, if the document contains both. */
function refusePartitions(topics: readonly string[]): void {
  if (parseSelection(topics).partitions.size === 0) return;
  throw new GatewayError(
    500,
    "`topics` names partitions, which `kafka_franz` cannot read for a consumer group",
  );
}

/**
 * Returns the size of a field in bytes. Throws if it is invalid: a value from the environment is not checked before.
 */
export function bytesOf(field: string, text: string): number {
  const bytes = parseByteSize(text);
  if (bytes === undefined || bytes === 0) throw new GatewayError(500, `\`${field}\` is not a size`);
  return bytes;
}

const factors: Readonly<Record<string, number>> = {
  b: 1,
  k: 1e3,
  kb: 1e3,
  m: 1e6,
  mb: 1e6,
  g: 1e9,
  gb: 1e9,
  ki: 2 ** 10,
  kib: 2 ** 10,
  mi: 2 ** 20,
  mib: 2 ** 20,
  gi: 2 ** 30,
  gib: 2 ** 30,
};

/** Returns the bytes of `1MB` (a million), `1MiB` (1,048,576) or `512`; `undefined` if the text is not a size. */
export function parseByteSize(text: string): number | undefined {
  const [whole, amount = "", unit = ""] = /^(\d+(?:\.\d+)?) *([a-zA-Z]*)$/.exec(text) ?? [];
  const factor = factors[unit.toLowerCase() || "b"];
  return whole === undefined || factor === undefined ? undefined : Math.floor(Number(amount) * factor);
}
