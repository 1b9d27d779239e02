// Reads again from positions on, for a client that comes back to where it was.

import type { ReplayInput } from "../../component.ts";
import type { Positions } from "../../positions.ts";
import { Reader, type ReaderSettings } from "./reader.ts";

/** Records of one partition that wait for the client or are on their way to it; several clients may come back. */
const mostRecords = 64;

/**
 * An input that reads all partitions, each from its position on, without the group and without storing anything. What
 * is gone by then is passed over. A partition without a position begins at its first record where nobody else reads,
 * for it is new; where a group shares the partitions, it was another member's, and begins with what comes.
 */
export function replayInput(settings: ReaderSettings, positions: Positions): ReplayInput {
  let reader: Reader | undefined;
  return {
    async start(context) {
      const { group, limit, ahead } = settings;
      const bounds = { limit: Math.min(limit, mostRecords), ahead: Math.min(ahead, mostRecords) };
      reader = new Reader(
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
