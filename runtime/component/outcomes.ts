// What became of several writes or deliveries, as one.

import type { GatewayError } from "../errors.ts";
import type { Batch, Message } from "../message/message.ts";
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

/** Writes the messages of a batch in order, each alone; the first failure ends it. */
export async function oneByOne(
  batch: Batch,
  write: (message: Message) => Promise<Delivered>,
): Promise<Delivered> {
  const responses: Message[] = [];
  for (const message of batch) responses.push(...((await write(message)).response ?? []));
  return responses.length > 0 ? { response: responses } : {};
}

/** The outcomes of the messages of one write, which are counted: it costs one promise, however many they are. */
export class CountedWrite {
  /** Resolves once every message is confirmed; once none is open any more, rejects with the first refusal. */
  readonly settled: Promise<Delivered>;
  #open: number;
  #refusal: GatewayError | undefined = undefined;
  #resolve!: (delivered: Delivered) => void;
  #reject!: (refusal: GatewayError) => void;

  constructor(messages: number) {
    this.#open = messages;
    this.settled = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    if (messages === 0) this.#resolve({});
  }

  /** One of the messages is confirmed. */
  confirm(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#settle();
  }

  /** One of the messages is refused. */
  refuse(refusal: GatewayError): void {
    this.#refusal ??= refusal;
    this.confirm();
  }

  #settle(): void {
    if (this.#refusal === undefined) this.#resolve({});
    else this.#reject(this.#refusal);
  }
}
