// Rules about Kafka: batches, writes, topics and logins.

import { faultOf } from "../../../../schemas/formats/format.ts";
import { kafkaTopicOffset } from "../../../../schemas/formats/kafka.ts";
import type { Schema } from "../../../../schemas/schema.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { hasUnread, isMeant } from "../../../model/components.ts";
import type { ComponentNode, FieldNode } from "../../../trees/api.ts";
import { findField, findNamedField, literalText } from "../../../trees/fields.ts";
import { whyNotRe2 } from "../../regexp.ts";

/**
 * Reports a batch `count` above `checkpoint_limit`: the unconfirmed records of one partition can never fill such a
 * batch.
 */
export function checkKafkaBatches({ config }: ComponentNode, report: Report): void {
  const batching = findField(config, "batching");
  const counted = findField(batching, "count");
  const count = amountOf(counted) ?? 0;
  const limit = amountOf(findField(config, "checkpoint_limit"), 1024);
  if (counted === undefined || limit === undefined || count <= limit) return;
  report("GW4182", counted.span, { count, limit });
}

/** `undefined` if the value is not known yet. */
function amountOf(value: FieldNode | undefined, fallback?: number): number | undefined {
  if (value === undefined) return fallback;
  return value.kind === "Literal" && typeof value.value === "number" ? value.value : undefined;
}

/**
 * Reports settings that can lose messages or contradict each other, and named partitions that are not used, or vice
 * versa.
 */
export function checkKafkaWrites(component: ComponentNode, report: Report): void {
  const { config } = component;
  const acks = findNamedField(config, "ack_replicas");
  const idempotent = findNamedField(config, "idempotent_write");
  if (acks !== undefined && isLiteral(acks.value, false)) {
    if (isLiteral(idempotent?.value, true)) report("GW4179", acks.value.span, {});
    else report("GW4178", acks.value.span, {});
  }
  checkPartition(component, report);
}

function checkPartition({ config, descriptor }: ComponentNode, report: Report): void {
  const partitioner = findNamedField(config, "partitioner");
  const partition = findNamedField(config, "partition");
  const isNamed = partition !== undefined && literalText(partition.value) !== "";
  const kind = partitioner === undefined ? "" : literalText(partitioner.value);
  if (kind === undefined) return; // the environment may say `manual`
  const kinds = descriptor?.schema.properties?.partitioner?.enum ?? [];
  if (kind !== "" && !kinds.includes(kind)) return; // the intended kind is not known
  if (kind === "manual" && !isNamed && partitioner !== undefined)
    report("GW4180", partitioner.value.span, { isManual: true });
  if (kind !== "manual" && isNamed)
    report("GW4180", partition.nameSpan, { isManual: false, written: partitioner?.value.span });
}

function isLiteral(value: FieldNode | undefined, wanted: boolean): boolean {
  return value?.kind === "Literal" && value.value === wanted;
}

/**
 * Reports partitions in combination with a consumer group, and, in `kafka_franz`, texts that are neither topics nor
 * (with `regexp_topics`) patterns.
 */
export function checkKafkaTopics(component: ComponentNode, report: Report): void {
  const { config } = component;
  const topics = findField(config, "topics");
  const items = topics?.kind === "List" ? topics.items : topics === undefined ? [] : [topics];
  const regexp = findField(config, "regexp_topics");
  const isMisspelt =
    component.descriptor !== undefined && isMeant(config, "regexp_topics", component.descriptor.schema);
  const isPattern =
    isMisspelt || (regexp !== undefined && !(regexp.kind === "Literal" && regexp.value === false));
  const group = findField(config, "consumer_group");
  const isGroup = group !== undefined && literalText(group) !== "";
  const isShort = isJudgedBySchema(component);
  const topicsOf = (item: FieldNode) => splitTopics(literalText(item) ?? "");
  const isMixed = items.some((item) => topicsOf(item).some((topic) => !topic.includes(":")));
  for (const item of items) {
    const text = literalText(item);
    if (isPattern) {
      if (text !== undefined) checkPattern(item, text, report);
      continue;
    }
    const chosen = topicsOf(item).filter((topic) => topic.includes(":"));
    checkTopics(item, topicsOf(item), isShort, report);
    if (!isGroup || (isShort && !isMixed)) continue;
    for (const topic of chosen) report("GW4177", item.span, { topic, isMixed: isShort });
  }
}

function splitTopics(text: string): readonly string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

/** `isShort` if the schema checks the topics, except for what a pattern cannot compare. */
function checkTopics(item: FieldNode, topics: readonly string[], isShort: boolean, report: Report): void {
  const { title, example } = kafkaTopicOffset;
  for (const topic of topics) {
    const fault = isShort ? undefined : faultOf(kafkaTopicOffset, topic);
    const [, first, last] = /:(\d+)-(\d+)(?::|$)/.exec(topic) ?? [];
    const isReversed = first !== undefined && last !== undefined && BigInt(first) > BigInt(last);
    const reason = fault ?? (isReversed ? "the range of partitions ends before it begins" : undefined);
    if (reason !== undefined) report("GW4080", item.span, { value: topic, title, reason, example });
  }
}

/**
 * Whether the schema checks the topics. If patterns are allowed in the same field, the schema cannot require topic
 * names.
 */
function isJudgedBySchema({ descriptor }: ComponentNode): boolean {
  return descriptor?.schema.properties?.topics?.items?.["x-format"] === "kafka-topic-selection";
}

function checkPattern(item: FieldNode, pattern: string, report: Report): void {
  if (whyNotRe2(pattern) === undefined) return;
  report("GW4015", item.span, { field: "topics", value: pattern, expected: "a regular expression of RE2" });
}

const users = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"];
const mechanisms = [...users, "OAUTHBEARER", "AWS_MSK_IAM"];

/** Reports logins without the fields that their mechanism needs, and logins without a mechanism. */
export function checkKafkaLogin({ config, descriptor }: ComponentNode, report: Report): void {
  const sasl = findNamedField(config, "sasl");
  if (sasl === undefined) return;
  const methods = sasl.value.kind === "List" ? sasl.value.items : [sasl.value];
  if (methods.length > 1) report("GW4181", sasl.nameSpan, { count: methods.length });
  else
    for (const method of methods)
      checkMethod(method, sasl.nameSpan, loginFields(descriptor?.schema.properties?.sasl), report);
}

interface LoginFields {
  readonly user: string;
  readonly token: string;
  /** Fields that provide a token instead of `token`. */
  readonly sources: readonly string[];
  readonly schema: Schema;
}

/** Returns the field names of a login, which differ between the two components. */
function loginFields(sasl: Schema | undefined): LoginFields {
  const schema = sasl?.items ?? sasl ?? {};
  const { properties = {} } = schema;
  return {
    schema,
    user: "username" in properties ? "username" : "user",
    token: "access_token" in properties ? "access_token" : "token",
    sources: ["token_cache", "oauth2"].filter((name) => name in properties),
  };
}

function checkMethod(
  method: FieldNode,
  nameSpan: NonNullable<ReturnType<typeof findNamedField>>["nameSpan"],
  { user, token, sources, schema }: LoginFields,
  report: Report,
): void {
  if (method.kind !== "Object" || hasUnread(method)) return;
  const named = findNamedField(method, "mechanism");
  const mechanism = named === undefined ? "none" : literalText(named.value);
  const span = named?.value.span ?? nameSpan;
  if (mechanism === "none") {
    // An explicit `none` is intended: the other fields are kept for later use.
    if (named === undefined && method.fields.length > 0) report("GW4176", span, { mechanisms });
  } else if (mechanism === "OAUTHBEARER") {
    if (![token, ...sources].some((each) => isGiven(method, each)))
      report("GW4175", span, { mechanism, missing: [token], alternatives: sources });
  } else if (mechanism === "AWS_MSK_IAM") {
    const missing = ["aws.region", "aws.credentials.id", "aws.credentials.secret"].filter(
      (path) => !isGivenWithin(method, path.split(".")),
    );
    if (missing.length > 0) report("GW4175", span, { mechanism, missing, alternatives: [] });
  } else if (mechanism !== undefined && users.includes(mechanism)) {
    const missing = [user, "password"].filter(
      (each) => !isGiven(method, each) && !isMeant(method, each, schema),
    );
    if (missing.length > 0) report("GW4175", span, { mechanism, missing, alternatives: [] });
  }
}

function isGivenWithin(block: FieldNode, path: readonly string[]): boolean {
  const value = path.reduce<FieldNode | undefined>((outer, name) => findField(outer, name), block);
  return value !== undefined && literalText(value) !== "";
}

/** Whether the field has a value. A value from the environment counts. */
function isGiven(method: FieldNode, name: string): boolean {
  const field = findNamedField(method, name);
  if (field?.value.kind === "Object") {
    const enabled = findField(field.value, "enabled");
    return enabled !== undefined && !(enabled.kind === "Literal" && enabled.value === false);
  }
  return field !== undefined && literalText(field.value) !== "";
}
