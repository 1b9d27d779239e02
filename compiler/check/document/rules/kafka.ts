// Rules about Kafka: batches, writes, topics and logins.

import { faultOf } from "../../../../schemas/formats/format.ts";
import { kafkaTopicOffset } from "../../../../schemas/formats/kafka.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { hasUnread, isMeant } from "../../../model/components.ts";
import { enabledOf, type Option, type OptionBlock, optionsNamed } from "../../../model/options.ts";
import type { Span } from "../../../source/source.ts";
import type { ComponentNode, FieldNode } from "../../../trees/api.ts";
import { literalText } from "../../../trees/fields.ts";
import { whyNotRe2 } from "../../regexp.ts";

const batchOptions = optionsNamed(["batching", "checkpoint_limit"]);
const policyOptions = optionsNamed(["count"]);

/**
 * Reports a batch `count` above `checkpoint_limit`: the unconfirmed records of one partition can never fill such a
 * batch.
 */
export function checkKafkaBatches(component: ComponentNode, report: Report): void {
  const options = batchOptions(component);
  const counted = options && policyOptions(options.batching)?.count;
  const [count, limit] = [counted?.number, options?.checkpoint_limit.number];
  if (counted?.value === undefined || count === undefined || limit === undefined || count <= limit) return;
  report("GW4182", counted.value.span, { count, limit });
}

const writeOptions = optionsNamed(["idempotent_write", "partitioner", "partition"], ["ack_replicas"]);

/**
 * Reports settings that can lose messages or contradict each other, and named partitions that are not used, or vice
 * versa.
 */
export function checkKafkaWrites(component: ComponentNode, report: Report): void {
  const options = writeOptions(component);
  if (options === undefined) return;
  const { ack_replicas: acks, idempotent_write: idempotent } = options;
  if (acks?.value !== undefined && acks.isSwitchedOff)
    report(idempotent.value !== undefined && idempotent.isTrue ? "GW4179" : "GW4178", acks.value.span, {});
  checkPartition(options.partitioner, options.partition, report);
}

function checkPartition(partitioner: Option, partition: Option, report: Report): void {
  const written = partitioner.value?.span;
  const kind = written === undefined ? "" : partitioner.text;
  if (kind === undefined) return; // the environment may say `manual`
  if (kind !== "" && partitioner.schema.enum?.includes(kind) !== true) return; // the intended kind is not known
  const isNamed = partition.isGiven;
  if (kind === "manual" && !isNamed && written !== undefined) report("GW4180", written, { isManual: true });
  if (kind !== "manual" && isNamed && partition.nameSpan !== undefined)
    report("GW4180", partition.nameSpan, { isManual: false, written });
}

const topicOptions = optionsNamed(["topics", "consumer_group"], ["regexp_topics"]);

/**
 * Reports partitions in combination with a consumer group, and, in `kafka_franz`, texts that are neither topics nor
 * (with `regexp_topics`) patterns.
 */
export function checkKafkaTopics(component: ComponentNode, report: Report): void {
  const options = topicOptions(component);
  if (options === undefined) return;
  const { topics, regexp_topics: regexp, consumer_group: group } = options;
  const items = topics.each;
  const isMisspelt = isMeant(component.config, "regexp_topics", component.descriptor?.schema ?? {});
  const isPattern = isMisspelt || (regexp?.value !== undefined && regexp.known !== false);
  const isShort = isJudgedBySchema(topics);
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
    if (!group.isGiven || (isShort && !isMixed)) continue;
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
function isJudgedBySchema(topics: Option): boolean {
  return topics.schema.items?.["x-format"] === "kafka-topic-selection";
}

function checkPattern(item: FieldNode, pattern: string, report: Report): void {
  if (whyNotRe2(pattern) === undefined) return;
  report("GW4015", item.span, { field: "topics", value: pattern, expected: "a regular expression of RE2" });
}

const users = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"];
const mechanisms = [...users, "OAUTHBEARER", "AWS_MSK_IAM"];

const loginOptions = optionsNamed(["sasl"]);

/** Reports logins without the fields that their mechanism needs, and logins without a mechanism. */
export function checkKafkaLogin(component: ComponentNode, report: Report): void {
  const sasl = loginOptions(component)?.sasl;
  if (sasl?.nameSpan === undefined) return;
  const { items: schema = sasl.schema } = sasl.schema;
  if (sasl.each.length > 1) report("GW4181", sasl.nameSpan, { count: sasl.each.length });
  else for (const value of sasl.each) checkMethod({ value, schema }, sasl.nameSpan, report);
}

/** The options of a login, two of which have other names in the other component. */
const methodOptions = optionsNamed(
  ["mechanism", "password", "aws", "oauth2"],
  ["username", "user", "access_token", "token", "token_cache"],
);
const awsOptions = optionsNamed(["region", "credentials"]);
const awsCredentials = optionsNamed(["id", "secret"]);

function checkMethod(method: OptionBlock, nameSpan: Span, report: Report): void {
  const options = methodOptions(method);
  const { value, schema } = method;
  if (options === undefined || value?.kind !== "Object" || hasUnread(value)) return;
  const { username, user = username, access_token, token = access_token } = options;
  const mechanism = options.mechanism.value === undefined ? "none" : options.mechanism.text;
  const span = options.mechanism.value?.span ?? nameSpan;
  if (mechanism === "none") {
    // An explicit `none` is intended: the other fields are kept for later use.
    if (options.mechanism.value === undefined && value.fields.length > 0)
      report("GW4176", span, { mechanisms });
  } else if (mechanism === "OAUTHBEARER") {
    const sources = declaredOf(options.token_cache, options.oauth2);
    const missing = declaredOf(token);
    if (![...missing, ...sources].some(isGiven))
      report("GW4175", span, { mechanism, missing: namesOf(missing), alternatives: namesOf(sources) });
  } else if (mechanism === "AWS_MSK_IAM") {
    const missing = missingOfAws(options.aws);
    if (missing.length > 0) report("GW4175", span, { mechanism, missing, alternatives: [] });
  } else if (mechanism !== undefined && users.includes(mechanism)) {
    const missing = namesOf(declaredOf(user, options.password).filter((each) => !isGiven(each))).filter(
      (name) => !isMeant(value, name, schema),
    );
    if (missing.length > 0) report("GW4175", span, { mechanism, missing, alternatives: [] });
  }
}

function declaredOf(...options: readonly (Option | undefined)[]): readonly Option[] {
  return options.filter((option) => option !== undefined);
}

function namesOf(options: readonly Option[]): readonly string[] {
  return options.map(({ name }) => name);
}

function missingOfAws(aws: Option): readonly string[] {
  const options = awsOptions(aws);
  const credentials = options && awsCredentials(options.credentials);
  const needed = [
    ["aws.region", options?.region],
    ["aws.credentials.id", credentials?.id],
    ["aws.credentials.secret", credentials?.secret],
  ] as const;
  return needed.flatMap(([path, option]) => (option?.isGiven === true ? [] : [path]));
}

/** Whether an option has a value, or a block is switched on. A value from the environment counts. */
function isGiven(option: Option): boolean {
  if (option.value?.kind !== "Object") return option.isGiven;
  const enabled = enabledOf(option);
  return enabled?.value !== undefined && !enabled.isSwitchedOff;
}
