// Document meaning: fields of Kafka components that do not go together.

import { entry } from "../diagnostic.ts";
import { quoteAll } from "../quote-all.ts";

export const kafkaEntries = {
  GW4175: entry<{ mechanism: string; missing: readonly string[]; alternatives: readonly string[] }>({
    slug: "login-incomplete",
    severity: "error",
    message: (d) => `\`${d.mechanism}\` needs ${quoteAll(d.missing)}.`,
    hint: (d) =>
      d.alternatives.length === 0
        ? `Add ${quoteAll(d.missing)} to \`sasl\`.`
        : `Add ${quoteAll(d.missing)} to \`sasl\`, or one of ${quoteAll(d.alternatives)}.`,
  }),
  GW4176: entry<{ mechanisms: readonly string[] }>({
    slug: "login-without-mechanism",
    severity: "error",
    message: () => "`sasl` names no `mechanism`, so that nobody logs in.",
    hint: (d) => `Add \`mechanism\`, which is one of ${quoteAll(d.mechanisms)}.`,
  }),
  GW4177: entry<{ topic: string }>({
    slug: "partitions-of-a-group",
    severity: "error",
    message: (d) => `A consumer group hands out partitions itself; \`${d.topic}\` cannot choose them.`,
    hint: (d) => `Write \`${d.topic.replace(/:.*/s, "")}\`, or remove \`consumer_group\`.`,
  }),
  GW4178: entry<Record<never, never>>({
    slug: "records-lost-with-their-leader",
    severity: "warning",
    message: () => "Records are lost when their broker fails before others have them.",
    hint: () => "Remove `ack_replicas: false`, so that all replicas confirm.",
  }),
  GW4179: entry<Record<never, never>>({
    slug: "idempotent-without-replicas",
    severity: "error",
    message: () => "Kafka recognises repeated writes only when all replicas confirm them.",
    hint: () => "Remove `ack_replicas: false`, or `idempotent_write`.",
  }),
  GW4180: entry<{ isManual: boolean }>({
    slug: "partition-and-partitioner",
    severity: "error",
    message: (d) =>
      d.isManual
        ? "`partitioner: manual` needs `partition`."
        : "`partition` is read only with `partitioner: manual`.",
    hint: (d) => (d.isManual ? "Add `partition`, such as `0`." : "Add `partitioner: manual`."),
  }),
  GW4181: entry<{ count: number }>({
    slug: "several-logins",
    severity: "error",
    message: (d) => `A client logs in by one method, not by ${d.count}.`,
    hint: () => "Keep the one that the brokers take.",
  }),
  GW4182: entry<{ count: number; limit: number }>({
    slug: "batches-never-full",
    severity: "warning",
    message: (d) =>
      `${d.limit} ${d.limit === 1 ? "record" : "records"} of a partition at a time never fill a batch of ${d.count}.`,
    hint: (d) => `Allow ${d.count} records by \`checkpoint_limit\`, or ask for smaller batches.`,
  }),
};
