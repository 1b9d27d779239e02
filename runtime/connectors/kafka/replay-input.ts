// Reads again from positions on, for a client that comes back to where it was.

import type { ReplayInput } from "../../component/component.ts";
import type { Positions } from "../../message/positions.ts";
import { KafkaReader, type ReaderSettings } from "./reader.ts";
import { recordSequence } from "./record.ts";

/** Records of one partition that wait for the client or are on their way to it; several clients may come back. */
const mostRecords = 64;

/**
 * An input that reads all partitions, each from its position on, without the group and without storing anything. What
 * is gone by then is passed over. A new partition begins with its first record, and one without a position is new where
 * no other member reads; where a group shares the partitions, others were another member's, and begin with new messages.
 */
export function replayInput(settings: ReaderSettings, positions: Positions): ReplayInput {
  let reader: KafkaReader | undefined;
  return {
    sequenceOf: recordSequence,
    async start(context) {
      const { group, limit, ahead } = settings;
      const bounds = { limit: Math.min(limit, mostRecords), ahead: Math.min(ahead, mostRecords) };
      reader = new KafkaReader(
        { ...settings, ...bounds, group: "", fromBeginning: group === "", positions },
        context,
      );
      await reader.start();
    },
    async close() {
      await reader?.close();
    },
    undelivered: (isHanded) => reader?.undelivered(isHanded),
    ends: async () => (await reader?.ends()) ?? new Map(),
  };
}
