// Records that are grouped by partition before kafkajs groups them.

import type { Message as ProducerMessage } from "kafkajs";
import type { PartitionRecords } from "./sender.ts";

/** The step of kafkajs's `groupMessagesPerPartition`: adds a message to its group. */
type GroupStep = (
  groups: object,
  message: ProducerMessage,
  index: number,
  messages: ProducerMessage[],
) => object;

/**
 * The records of one topic as kafkajs takes them, each with its partition.
 *
 * kafkajs 2 groups them with `reduce`, and copies the group of a partition for each of its records: 500 records cost 125,000
 * copies. They are grouped here already. So the `reduce` of this array asks the step for the first record alone, which tells
 * kafkajs's partitioner of the topic, and gives the groups. A step that does something else is run over all records.
 */
export function groupedMessages(parts: readonly PartitionRecords[]): ProducerMessage[] {
  const groups: Record<number, ProducerMessage[]> = {};
  for (const { partition, records } of parts) {
    const group = groups[partition] ?? [];
    groups[partition] = group;
    for (const record of records) {
      record.partition = partition;
      group.push(record);
    }
  }
  const messages = Object.values(groups).flat();
  const reduce = (step: GroupStep, start: object): object =>
    isGrouping(step, messages[0]) ? groups : messages.slice().reduce(step, start);
  return Object.defineProperty(messages, "reduce", { value: reduce });
}

function isGrouping(step: GroupStep, first: ProducerMessage | undefined): boolean {
  if (first === undefined) return false;
  const [[partition, group] = [], ...others] = Object.entries(step({}, first, 0, [first]));
  const isAlone = Array.isArray(group) && group.length === 1 && group[0] === first;
  return others.length === 0 && partition === String(first.partition) && isAlone;
}
