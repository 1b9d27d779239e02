import type { Input, InputContext } from "../../component.ts";
import { type Batch, Message } from "../../message.ts";
import { mapMessage } from "../../processors/mapping.ts";
import { createRedelivery } from "../../redelivery.ts";
import { type GenerateInputOptions, generateInputDefaults } from "./generated/input-options.ts";
import type { Ticks } from "./ticks.ts";

/** Longest run of messages without a pause after which others get a turn. */
const runLength = 64;

/**
 * Makes messages with a mapping, a batch at each tick. The next one is made when the last is confirmed; a
 * failed delivery is repeated. After `count` messages it ends.
 */
export function generate(options: GenerateInputOptions, ticks: Ticks): Input {
  const closing = new AbortController();
  let running: Promise<void> | undefined;
  return {
    async start(context) {
      running = run(options, ticks, context, AbortSignal.any([closing.signal, context.signal]));
    },
    async close() {
      closing.abort();
      await running;
    },
  };
}

async function run(
  options: GenerateInputOptions,
  ticks: Ticks,
  context: InputContext,
  end: AbortSignal,
): Promise<void> {
  const { mapping, count, batch_size: size } = { ...generateInputDefaults, ...options };
  const redelivery = createRedelivery(context);
  let made = 0;
  for (let batches = 1; count === 0 || made < count; batches += 1) {
    await ticks.next(end);
    if (batches % runLength === 0) await new Promise(setImmediate);
    if (end.aborted) return;
    const wanted = count === 0 ? size : Math.min(size, count - made);
    const batch = makeBatch(mapping, wanted, context);
    made += wanted;
    if (batch.length > 0 && (await redelivery.deliver(batch, end)) === undefined) return;
  }
  context.reportEnd?.();
}

/** What the mapping drops is not there; what it fails on is left out and said. */
function makeBatch(mapping: GenerateInputOptions["mapping"], size: number, { log }: InputContext): Batch {
  const empty: Batch = [Message.fromText("")];
  const made = Array.from({ length: size }).flatMap(() => mapMessage(mapping, empty, 0) ?? []);
  const failure = made.find((message) => message.failure !== undefined)?.failure;
  if (failure !== undefined) log.error("the mapping that makes messages failed", { reason: failure.message });
  return made.filter((message) => message.failure === undefined);
}
