import type { Input } from "../../component/component.ts";
import { type KafkaInputOptions, kafkaInputDefaults } from "./generated/input-options.ts";
import { KafkaReader, type ReaderSettings } from "./reader.ts";
import { recordSequence } from "./record.ts";
import { replayInput } from "./replay-input.ts";
import { commitStartOffsets } from "./start-offsets.ts";

/**
 * Reads records of Kafka topics. Each record is one delivery, handed over in the order of its partition;
 * the offsets committed never pass a record that is not confirmed. Without `consumer_group` nothing is
 * committed and all partitions are read from where `start_from_oldest` says.
 */
export function kafkaInput(options: KafkaInputOptions): Input {
  return readerInput(readerSettings(options));
}

/** An input that reads as the settings say. */
export function readerInput(settings: ReaderSettings): Input {
  let reader: KafkaReader | undefined;
  return {
    ...(settings.group !== "" &&
      !settings.fromBeginning && { prepare: (context) => commitStartOffsets(settings, context) }),
    async start(context) {
      reader = new KafkaReader(settings, context);
      await reader.start();
    },
    async close() {
      await reader?.close();
    },
    lag: () => reader?.lag(),
    sequenceOf: recordSequence,
    positions: {
      undelivered: (isHanded) => reader?.undelivered(isHanded),
      from: (positions) => replayInput(settings, positions),
    },
  };
}

/** The longest a fetch waits for records; a paused partition that resumes is seen again after at most this. */
const maxWait = 100;

function readerSettings(options: KafkaInputOptions): ReaderSettings {
  const settings = { ...kafkaInputDefaults, ...options };
  const group = { ...kafkaInputDefaults.group, ...settings.group };
  return {
    connection: settings,
    topics: settings.topics,
    group: settings.consumer_group,
    membership: {
      sessionTimeout: group.session_timeout,
      heartbeatInterval: group.heartbeat_interval,
      rebalanceTimeout: group.rebalance_timeout,
    },
    balancers: ["sticky", "range", "round_robin"],
    fetching: {
      maxWait,
      metadataMaxAge: 300_000,
      rackId: settings.rack_id,
      readUncommitted: settings.transaction_isolation_level === "read_uncommitted",
    },
    fromBeginning: settings.start_from_oldest,
    limit: settings.checkpoint_limit,
    ahead: settings.fetch_buffer_cap,
    commitPeriod: settings.commit_period,
    replays: settings.auto_replay_nacks,
    multiHeader: settings.multi_header,
  };
}
