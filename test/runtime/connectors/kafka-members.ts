// Members of a Kafka group that a test starts, and the records that they share.

import * as assert from "uvu/assert";
import type { kafkaInput } from "../../../runtime/connectors/kafka/input.ts";
import { until } from "../../harness/wait.ts";
import { inputContext } from "./contexts.ts";
import type { connectKafka } from "./kafka-client.ts";

/** The number of partitions of a shared topic. */
export const partitions = 4;

/** A member of a group. */
export interface Member {
  /** The records that it has read. */
  readonly texts: () => readonly string[];
  /** Its partitions. */
  readonly partitions: () => readonly number[];
  readonly leave: () => Promise<unknown>;
}

/** Starts an input of the gateway that confirms what it reads immediately. */
export async function joinInput(input: ReturnType<typeof kafkaInput>): Promise<Member> {
  const context = inputContext();
  const texts: string[] = [];
  await input.start({
    ...context,
    async deliver(batch) {
      texts.push(...batch.map((message) => Buffer.from(message.bytes()).toString()));
      return {};
    },
  });
  return {
    texts: () => texts,
    partitions: () => {
      const line = context.lines.findLast(({ message }) => message === "reading from Kafka");
      const assigned = line?.fields.partitions as Record<string, number[]> | undefined; // the type of this field
      return Object.values(assigned ?? {}).flat();
    },
    leave: () => input.close(),
  };
}

/** Writes records to all partitions; writes the next ones when the previous ones have been read. */
export function writeRecords(
  peer: Awaited<ReturnType<typeof connectKafka>>,
  topic: string,
  members: () => readonly Member[],
) {
  const written: string[] = [];
  const read = () => members().flatMap(({ texts }) => texts());
  return {
    async round(word: string) {
      const texts = Array.from({ length: 40 }, (_, index) => `${word} ${index}`);
      const messages = texts.map((value, index) => ({ value, partition: index % partitions }));
      await peer.producer.send({ topic, messages });
      written.push(...texts);
      await until(() => texts.every((text) => read().includes(text)), { what: `all records of ${word}` });
    },
    verify: () => assert.equal(read().toSorted(), written.toSorted(), "each record once"),
  };
}

/** Waits until the members have an equal number of partitions, and all partitions together. */
export const share = async (members: readonly Member[]): Promise<void> => {
  const all = () => members.flatMap((member) => member.partitions()).toSorted();
  const isEven = () => members.every((member) => member.partitions().length === partitions / members.length);
  await until(() => isEven() && all().join() === "0,1,2,3", { what: "partitions divided" });
};
