// Document meaning: fields of Kafka components that do not go together.

import type { Span } from "../../source/source.ts";
import { entry } from "../diagnostic.ts";
import { addEntry, removeEntry } from "../fixes/entries.ts";
import { replaceText } from "../fixes/respell.ts";
import { quoteAll } from "../suggest.ts";

export const kafkaEntries = {
  GW4175: entry<{ mechanism: string; missing: readonly string[]; alternatives: readonly string[] }>({
    slug: "login-incomplete",
    severity: "error",
    message: (d) => `\`${d.mechanism}\` needs ${quoteAll(d.missing)}.`,
    hint: (d) =>
      d.alternatives.length === 0
        ? `Add ${quoteAll(d.missing)} to \`sasl\`.`
        : `Add ${quoteAll(d.missing)} to \`sasl\`, or ${d.alternatives.length > 1 ? "one of " : ""}${quoteAll(d.alternatives)}.`,
  }),
  GW4176: entry<{ mechanisms: readonly string[] }>({
    slug: "login-without-mechanism",
    severity: "error",
    message: () => "Missing `mechanism` in `sasl`, so the client cannot log in.",
    hint: (d) => `Add \`mechanism\`, one of ${quoteAll(d.mechanisms)}.`,
  }),
  GW4177: entry<{ topic: string; isMixed: boolean }>({
    slug: "partitions-of-a-group",
    severity: "error",
    message: (d) =>
      d.isMixed
        ? `With a consumer group, all topics name partitions or none does, but only some do, such as \`${d.topic}\`.`
        : `A consumer group assigns partitions itself, so \`${d.topic}\` cannot choose them.`,
    hint: (d) =>
      d.isMixed
        ? "Read the others with an input of their own."
        : `Write \`${d.topic.replace(/:.*/s, "")}\`, remove \`consumer_group\`, or use \`kafka\`.`,
  }),
  GW4178: entry<Record<never, never>>({
    slug: "records-lost-with-their-leader",
    severity: "warning",
    message: () => "Records are lost if the leader fails before they are replicated.",
    hint: () => "Remove `ack_replicas: false`, so that all in-sync replicas acknowledge.",
    fix: (_, span) => removeEntry(span, "ack_replicas"),
  }),
  GW4179: entry<Record<never, never>>({
    slug: "idempotent-without-replicas",
    severity: "error",
    message: () => "Idempotent writes require acknowledgements from all in-sync replicas.",
    hint: () => "Remove `ack_replicas: false`, or `idempotent_write`.",
  }),
  GW4180: entry<{ isManual: boolean; written?: Span | undefined }>({
    slug: "partition-and-partitioner",
    severity: "error",
    message: (d) =>
      d.isManual
        ? "`partitioner: manual` needs `partition`."
        : "`partition` has no effect without `partitioner: manual`.",
    hint: (d) => (d.isManual ? "Add `partition`, such as `0`." : "Add `partitioner: manual`."),
    fix: ({ isManual, written }, span) => {
      if (isManual) return undefined;
      return written === undefined
        ? addEntry(span, "partitioner", "manual")
        : replaceText(written, "manual", false);
    },
  }),
  GW4181: entry<{ count: number }>({
    slug: "several-logins",
    severity: "error",
    message: (d) => `Expected one login method, got ${d.count}.`,
    hint: () => "Keep the one that the brokers support.",
  }),
  GW4182: entry<{ count: number; limit: number }>({
    slug: "batches-never-full",
    severity: "warning",
    message: (d) =>
      `A batch of ${d.count} never fills with ${d.limit} ${d.limit === 1 ? "record" : "records"} of a partition in flight.`,
    hint: (d) => `Set \`checkpoint_limit\` to at least ${d.count}, or reduce the size of the batch.`,
  }),
};

export const amqpEntries = {
  GW4173: entry<{ what: string }>({
    slug: "acknowledged-before-delivery",
    severity: "warning",
    message: (d) => `\`${d.what}\` acknowledges messages on receipt, so a crash loses messages in flight.`,
    hint: () => "Remove it, so that messages are acknowledged after delivery.",
    fix: (d, span) => (d.what === "auto_ack" ? removeEntry(span, d.what) : undefined),
  }),
  GW4174: entry<{ field: string; mechanism: string }>({
    slug: "login-without-effect",
    severity: "warning",
    message: (d) => `\`${d.field}\` has no effect with the mechanism \`${d.mechanism}\`.`,
    hint: () => "Set `mechanism: plain`, or remove the field.",
  }),
};

export const sessionEntries = {
  GW4185: entry<{
    field: string;
    other: string;
    needed: string | number | boolean;
    written: Span | undefined;
  }>({
    slug: "field-needs-value",
    severity: "error",
    message: (d) => `\`${d.field}\` requires \`${d.other}: ${d.needed}\`.`,
    hint: (d) => `Set \`${d.other}: ${d.needed}\`, or remove \`${d.field}\`.`,
    fix: ({ other, needed, written }, span) =>
      written === undefined ? addEntry(span, other, needed) : replaceText(written, String(needed), false),
  }),
  GW4186: entry<Record<never, never>>({
    slug: "session-under-changing-name",
    severity: "warning",
    message: () => "A persistent session cannot be resumed, because the client id changes at each start.",
    hint: () => "Remove `dynamic_client_id_suffix`, or set `clean_session: true`.",
  }),
};
