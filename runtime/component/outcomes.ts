// What became of several writes or deliveries, as one.

import type { Message } from "../message/message.ts";
import type { Delivered } from "./component.ts";

/**
 * Waits for all, also when one failed: the owner of the batch may only try again when nothing of it is under
 * way any more. Rejects with the first failure; replies are joined in the order of `pending`.
 */
export function joinDelivered(pending: readonly Promise<Delivered>[]): Promise<Delivered> {
  const only = pending[0];
  return pending.length === 1 && only !== undefined ? only : joinSeveral(pending);
}

async function joinSeveral(pending: readonly Promise<Delivered>[]): Promise<Delivered> {
  const outcomes = await Promise.allSettled(pending);
  const responses: Message[] = [];
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") throw outcome.reason;
    responses.push(...(outcome.value.response ?? []));
  }
  return responses.length > 0 ? { response: responses } : {};
}
