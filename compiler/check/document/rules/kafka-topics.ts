// What Kafka inputs read: topics, partitions of them, patterns.

import { faultOf } from "../../../../schemas/formats/format.ts";
import { formats } from "../../../../schemas/formats/formats.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import type { ComponentNode, FieldNode } from "../../../parse/document/api.ts";
import { whyNotRe2 } from "../../regexp.ts";
import { findField, literalText } from "../components.ts";
import { reportVariablesInPattern } from "../request-parts.ts";

/** Reports partitions beside a group, and in `kafka_franz` texts that are neither topics nor, where asked for, patterns. */
export function checkKafkaTopics({ name, role, config }: ComponentNode, report: Report): void {
  if ((name !== "kafka" && name !== "kafka_franz") || role !== "input") return;
  const topics = findField(config, "topics")?.value;
  const items = topics?.kind === "List" ? topics.items : topics === undefined ? [] : [topics];
  const regexp = findField(config, "regexp_topics")?.value;
  const isPattern = regexp !== undefined && !(regexp.kind === "Literal" && regexp.value === false);
  const group = findField(config, "consumer_group")?.value;
  const isGroup = group !== undefined && literalText(group) !== "";
  for (const item of items) {
    if (isPattern) reportVariablesInPattern(item, "topics", report);
    const text = literalText(item);
    if (text === undefined) continue;
    if (isPattern) checkPattern(item, text, report);
    else checkTopics(item, text, { name, isGroup, report });
  }
}

interface Asked {
  readonly name: string;
  readonly isGroup: boolean;
  readonly report: Report;
}

function checkTopics(item: FieldNode, text: string, { name, isGroup, report }: Asked): void {
  const format = formats["kafka-topic-selection"];
  for (const topic of text.split(",").map((each) => each.trim())) {
    const reason = topic === "" ? undefined : faultOf(format, topic);
    // The schema of `kafka` says it itself; that of `kafka_franz` cannot, as patterns stand in the same place.
    if (reason !== undefined && name === "kafka_franz")
      report("GW4080", item.span, { value: topic, title: format.title, reason, example: format.example });
    if (reason === undefined && isGroup && topic.includes(":")) report("GW4177", item.span, { topic });
  }
}

function checkPattern(item: FieldNode, pattern: string, report: Report): void {
  if (whyNotRe2(pattern) === undefined) return;
  report("GW4015", item.span, { field: "topics", value: pattern, expected: "a regular expression of RE2" });
}
