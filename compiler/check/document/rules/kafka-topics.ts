// What Kafka inputs read: topics, partitions of them, patterns.

import { faultOf } from "../../../../schemas/formats/format.ts";
import { formats } from "../../../../schemas/formats/formats.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import type { ComponentNode, FieldNode } from "../../../trees/api.ts";
import { findField, literalText } from "../../../trees/fields.ts";
import { whyNotRe2 } from "../../regexp.ts";

/** Reports partitions beside a group, and in `kafka_franz` texts that are neither topics nor, where asked for, patterns. */
export function checkKafkaTopics(component: ComponentNode, report: Report): void {
  const { config } = component;
  const topics = findField(config, "topics");
  const items = topics?.kind === "List" ? topics.items : topics === undefined ? [] : [topics];
  const regexp = findField(config, "regexp_topics");
  const isPattern = regexp !== undefined && !(regexp.kind === "Literal" && regexp.value === false);
  const group = findField(config, "consumer_group");
  const isGroup = group !== undefined && literalText(group) !== "";
  for (const item of items) {
    const text = literalText(item);
    if (text === undefined) continue;
    if (isPattern) checkPattern(item, text, report);
    else checkTopics(item, text, { isJudged: isJudgedBySchema(component), isGroup, report });
  }
}

interface Asked {
  /** Whether the schema has the form of a topic. */
  readonly isJudged: boolean;
  readonly isGroup: boolean;
  readonly report: Report;
}

function checkTopics(item: FieldNode, text: string, { isJudged, isGroup, report }: Asked): void {
  const format = formats["kafka-topic-selection"];
  for (const topic of text.split(",").map((each) => each.trim())) {
    const reason = topic === "" ? undefined : faultOf(format, topic);
    if (reason !== undefined && !isJudged)
      report("GW4080", item.span, { value: topic, title: format.title, reason, example: format.example });
    if (reason === undefined && isGroup && topic.includes(":")) report("GW4177", item.span, { topic });
  }
}

/** Where patterns may stand in the same place, the schema cannot have the form of topics. */
function isJudgedBySchema({ descriptor }: ComponentNode): boolean {
  return descriptor?.schema.properties?.topics?.items?.["x-format"] === "kafka-topic-selection";
}

function checkPattern(item: FieldNode, pattern: string, report: Report): void {
  if (whyNotRe2(pattern) === undefined) return;
  report("GW4015", item.span, { field: "topics", value: pattern, expected: "a regular expression of RE2" });
}
