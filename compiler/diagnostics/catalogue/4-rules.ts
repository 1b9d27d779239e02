// Document meaning: values that depend on each other, within a stream and across a set; fields of brokers that exclude
// each other.

import type { Span } from "../../source/source.ts";
import { entry } from "../diagnostic.ts";
import { addEntry, removeEntry } from "../fixes/entries.ts";
import { replaceText, respell, respellPart } from "../fixes/respell.ts";
import { type Nearest, quoteAll } from "../suggest.ts";

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

/** What is wrong with a discriminator: a schema that it maps a value to, or its property. */
type DiscriminatorFault = { readonly target: string; readonly choices?: string | undefined } & (
  | { readonly fault: "no schema" | "no variant" | "no property" | "lacking" }
  | { readonly fault: "no value"; readonly value: string; readonly property: string }
);

export const ruleEntries = {
  GW4284: entry<{
    fault: "id" | "reference" | "parameter";
    name: string;
    operation?: string;
    closest: string | undefined;
  }>({
    slug: "link-to-no-operation",
    severity: "warning",
    message: (d) =>
      d.fault === "parameter"
        ? `\`${d.operation}\` has no parameter \`${d.name}\`.`
        : `The link leads nowhere: \`${d.name}\` is not an operation of this document.`,
    hint: (d) => {
      if (d.closest !== undefined) return `Did you mean \`${d.closest}\`?`;
      if (d.fault === "parameter") return "Remove it, or declare it in the operation.";
      return d.fault === "id"
        ? "Write the `operationId` of an operation."
        : "Write the place of an operation, such as `#/paths/~1orders~1{id}/get`.";
    },
    fix: (d, span) => respellPart(span, d.name, d.closest),
  }),
  GW4286: entry<{ expression: string; lacking?: string; closest: string | undefined }>({
    slug: "expression-reads-nothing",
    severity: "warning",
    message: (d) =>
      d.lacking === undefined
        ? `\`${d.expression}\` is not a runtime expression.`
        : `\`${d.expression}\` reads a ${d.lacking} that is not declared.`,
    hint: (d) => {
      if (d.closest !== undefined) return `Did you mean \`${d.closest}\`?`;
      return d.lacking === undefined
        ? "Write an expression such as `$request.query.id`, `$response.header.Location` or `$response.body#/id`."
        : "Declare it in the operation, or read something else.";
    },
    fix: (d, span) => respellPart(span, d.expression, d.closest),
  }),
  GW4287: entry<{ name: string } & Nearest>({
    slug: "tag-nearly-declared",
    severity: "warning",
    message: (d) => `\`tags\` of the document does not declare \`${d.name}\`.`,
    hint: (d) => `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respell(span, d.name, d),
  }),
  GW4285: entry<{ method: string; lacking: readonly string[] }>({
    slug: "cors-method-not-served",
    severity: "warning",
    message: (d) =>
      `\`allowedMethods\` lists \`${d.method}\`, which nothing serves, but not ${quoteAll(d.lacking)}, so pages of other origins cannot send ${d.lacking.length === 1 ? "it" : "them"}.`,
    hint: (d) =>
      d.lacking.length === 1 ? `Replace it with \`${d.lacking[0]}\`.` : `Add ${quoteAll(d.lacking)}.`,
    fix: (d, span) => respellPart(span, d.method, d.lacking.length === 1 ? d.lacking[0] : undefined),
  }),
  GW4095: entry<DiscriminatorFault & { closest: string | undefined }>({
    slug: "discriminator-of-no-schema",
    severity: "warning",
    message: (d) => {
      switch (d.fault) {
        case "no schema":
          return `\`${d.target}\` is not a schema of this document.`;
        case "no variant":
          return `\`${d.target}\` is not one of the schemas in \`${d.choices}\`.`;
        case "no value":
          return `\`${d.value}\` is mapped to \`${d.target}\`, which does not allow it for \`${d.property}\`.`;
        case "no property":
          return d.choices === undefined
            ? `The schema has no property \`${d.target}\`.`
            : `No schema in \`${d.choices}\` has the property \`${d.target}\`.`;
        case "lacking":
          return `Not every schema in \`${d.choices}\` has the property \`${d.target}\`.`;
      }
    },
    hint: (d) => {
      if (d.closest !== undefined) return `Did you mean \`${d.closest}\`?`;
      if (d.fault === "no schema")
        return "Write the name of a schema in `components.schemas`, or a reference to it.";
      if (d.fault === "no variant") return `Add it to \`${d.choices}\`, or remove this entry.`;
      if (d.fault === "no value") return `Write a value that \`${d.property}\` of \`${d.target}\` allows.`;
      return `Declare \`${d.target}\` in each schema, and list it in \`required\`.`;
    },
    fix: (d, span) => respellPart(span, d.fault === "no value" ? d.value : d.target, d.closest),
  }),
  GW4030: entry<{ route: string; stream: string; other: string }>({
    slug: "route-collision",
    severity: "error",
    message: (d) => `The streams \`${d.other}\` and \`${d.stream}\` both serve \`${d.route}\`.`,
    hint: (d) => `Change the path ${d.route.includes(" (") ? "" : "or the verbs "}of one of them.`,
  }),
  GW4031: entry<{ route: string; first: string; second: string }>({
    slug: "route-twice",
    severity: "error",
    message: (d) => `\`${d.first}\` and \`${d.second}\` of this stream both serve \`${d.route}\`.`,
    hint: () => "Change the path of one of them, or remove it.",
  }),
  GW4032: entry<{ role: "input" | "output"; fields: readonly string[] }>({
    slug: "no-endpoint",
    severity: "error",
    message: (d) => `This \`http_server\` ${d.role} has no endpoint.`,
    hint: (d) => `Add one of ${d.fields.map((field) => `\`${field}\``).join(", ")}.`,
  }),
  GW4033: entry<{ field: string; needs: readonly string[] }>({
    slug: "field-without-effect",
    severity: "warning",
    message: (d) =>
      `\`${d.field}\` has no effect without ${d.needs.map((name) => `\`${name}\``).join(" or ")}.`,
    hint: (d) => `Add ${d.needs.map((name) => `\`${name}\``).join(" or ")}, or remove \`${d.field}\`.`,
  }),
  GW4034: entry<{ field: string; least?: number }>({
    slug: "empty-list",
    severity: "error",
    message: (d) => {
      const { least = 1 } = d;
      return `\`${d.field}\` needs at least ${least === 1 ? "one entry" : `${least} entries`}.`;
    },
    hint: (d) =>
      d.field === "allowed_verbs"
        ? "List the methods to serve, or remove the field."
        : `Add an entry to \`${d.field}\`.`,
  }),
  GW4035: entry<Record<never, never>>({
    slug: "case-without-processors",
    severity: "warning",
    message: () => "This case has no processors.",
    hint: () => "Add `processors`, or remove the case so that later cases are tried.",
  }),
  GW4036: entry<Record<never, never>>({
    slug: "fallthrough-on-last-case",
    severity: "error",
    message: () => "The last case cannot fall through, because no case follows it.",
    hint: () => "Remove `fallthrough`, or add a case after it.",
    fix: (_, span) => replaceText(span, "false", true),
  }),
  GW4037: entry<{ name: string }>({
    slug: "unknown-rate-limit",
    severity: "error",
    message: (d) => `\`${d.name}\` is neither a rate limit of this stream nor a duration.`,
    hint: () =>
      "Write the time between requests, such as `60s`, or declare the rate limit in `rate_limit_resources`.",
  }),
  GW4038: entry<{ path: string; api: string; other: string }>({
    slug: "listen-path-clash",
    severity: "error",
    message: (d) => `The APIs \`${d.other}\` and \`${d.api}\` both listen at \`${d.path}\`.`,
    hint: () =>
      "Change `x-gw-api-gateway.server.listenPath.value` of one of them, or put their streams into one document.",
  }),
  GW4039: entry<{ first: string; second: string; id: string }>({
    slug: "stream-name-clash",
    severity: "error",
    message: (d) => `The streams \`${d.first}\` and \`${d.second}\` have the same id \`${d.id}\`.`,
    hint: () => "Rename one of them so that they differ in letters or digits.",
  }),
  GW4040: entry<Record<never, never>>({
    slug: "dead-letter-without-output",
    severity: "error",
    message: () => "`dead_letter` requires an `output`.",
    hint: () => "Add `output` next to `strategy`.",
  }),
  GW4041: entry<{ field: string }>({
    slug: "protection-not-enforced",
    severity: "error",
    message: (d) => `\`${d.field}\` is not supported: the gateway would serve without this protection.`,
    hint: () => "Remove it to serve without it.",
  }),
  GW4042: entry<{ ping: string; pong: string }>({
    slug: "ping-after-pong",
    severity: "error",
    message: (d) =>
      `A \`ping_period\` of ${d.ping} is too long: sockets are closed after ${d.pong} without a pong.`,
    hint: () => "Make `ping_period` shorter than `pong_wait`.",
  }),
  GW4043: entry<Record<never, never>>({
    slug: "session-without-client-id",
    severity: "error",
    message: () => "A persistent session requires a `client_id`.",
    hint: () => "Add `client_id`, or remove `clean_session: false`.",
  }),
  GW4044: entry<{ field: string; value: string; longest: string }>({
    slug: "duration-out-of-range",
    severity: "error",
    message: (d) => `\`${d.field}\` must be between \`0s\` and \`${d.longest}\`, not \`${d.value}\`.`,
    hint: () => "Write a duration within this range.",
  }),
  GW4045: entry<{ path: string; reason: string }>({
    slug: "path-never-matches",
    severity: "error",
    message: (d) => `No request reaches \`${d.path}\`: ${d.reason}.`,
    hint: () => "Write decoded segments between slashes, with parameters as `/{name}`.",
  }),
};
