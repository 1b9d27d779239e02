import type { ProbedText, Probing } from "../../../probe/probe.ts";
import type { KafkaConnection } from "../client.ts";
import { probeTargets } from "../probe.ts";
import { saslMethod } from "../sasl.ts";
import type { KafkaSaslMethod } from "./generated/input-options.ts";

/** The options of `kafka_franz` that the probe reads. */
export interface KafkaFranzProbeOptions extends Pick<KafkaConnection, "client_id" | "tls"> {
  readonly seed_brokers: readonly string[];
  readonly sasl: readonly KafkaSaslMethod[];
  /** Of an input. */
  readonly topics?: readonly string[];
  readonly regexp_topics?: boolean;
  readonly consumer_group?: string;
  /** Of an output. */
  readonly topic?: ProbedText;
}

/** Like `probeKafka`, with the options of `kafka_franz`. */
export async function probeKafkaFranz(options: KafkaFranzProbeOptions, probing: Probing): Promise<void> {
  const connecting = ["seed_brokers", "client_id", "tls", "sasl"];
  if (probing.isComputed(options, ...connecting, "topics", "consumer_group")) return;
  const { seed_brokers: addresses, client_id, tls, topics = [], consumer_group: group = "", topic } = options;
  const sasl = saslMethod(options.sasl);
  const connection = { addresses, client_id, ...(tls && { tls }), ...(sasl && { sasl }) };
  const byPattern = options.regexp_topics === true;
  await probeTargets({ connection, topics, byPattern, group, topic, makesTopics: false }, probing);
}
