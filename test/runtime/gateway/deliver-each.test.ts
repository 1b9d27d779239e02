import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { DeliverBatch, Delivered, Output, Processor } from "../../../runtime/component/component.ts";
import { deliverEach, report } from "../../../runtime/component/deliver-each.ts";
import { InFlight } from "../../../runtime/concurrency/in-flight.ts";
import { Ordering } from "../../../runtime/concurrency/ordering.ts";
import { GatewayError, MappingError } from "../../../runtime/errors.ts";
import { type Batch, Message } from "../../../runtime/message/message.ts";
import { createLogger } from "../../../runtime/process/log.ts";
import { createDelivery } from "../../../runtime/stream/delivery.ts";
import { createCounters } from "../../../runtime/stream/stream-state.ts";
import { memoryOutput, textOf } from "./components.ts";

const test = suite("deliver each");

/** Processes messages as their first letter says, without a scope. */
const byLetter: Processor = {
  process(batch) {
    const [message = Message.fromText("")] = batch;
    const letter = textOf(message)[0];
    if (letter === "b") return [[message.withFailure(new MappingError("bad"))]];
    if (letter === "d") return [];
    if (letter === "s") return [[message, message]];
    if (letter === "t") throw new GatewayError(500, "thrown");
    if (letter === "l") return new Promise((resolve) => setImmediate(resolve, [batch]));
    return [[message.withBytes(Buffer.from(textOf(message)))]];
  },
};

/** Refuses messages that begin with "r". */
async function confirmByLetter([message]: Batch): Promise<Delivered> {
  if (message !== undefined && textOf(message).startsWith("r")) throw new GatewayError(502, "refused");
  return {};
}

/** The largest number of messages that were written at once. */
let largestWrite = 0;

async function outcomesOf(texts: readonly string[], strategy: "reject" | "none", atOnce: boolean) {
  const memory = memoryOutput(confirmByLetter);
  const output: Output = {
    ...memory,
    writeEach(messages, listener) {
      largestWrite = Math.max(largestWrite, messages.length);
      for (const [index, message] of messages.entries()) report(memory.write([message]), index, listener);
    },
  };
  const context = { log: createLogger("silent"), signal: new AbortController().signal };
  const counters = createCounters();
  const inFlight = new InFlight();
  const flow = { began: () => inFlight.begin(), ended: () => inFlight.end() };
  const parts = {
    stream: "intake",
    pipeline: [byLetter],
    output,
    errorHandling: { strategy },
    ordering: new Ordering(),
  };
  const deliver = createDelivery(parts, context, counters, undefined, flow);
  const input = { sequenceOf: (message: Message) => ({ name: textOf(message).slice(1), isKey: true }) };
  const ofInput: DeliverBatch = (batch) => deliver(batch, input);
  if (atOnce) ofInput.direct = () => deliver.direct(input);
  const outcomes = texts.map(() => Promise.withResolvers<string>());
  const messages = texts.map((text) => Message.fromText(text));
  deliverEach(ofInput, messages, {
    confirm: (index) => outcomes[index]?.resolve("confirmed"),
    fail: (index, error) => outcomes[index]?.resolve(String(error)),
  });
  const settled = await Promise.all(outcomes.map(({ promise }) => promise));
  await inFlight.empty();
  const byKey = Map.groupBy(memory.texts, (text) => text.slice(1));
  return { settled, counters, written: [...byKey].toSorted() };
}

for (const strategy of ["reject", "none"] as const) {
  test(`with ${strategy}, messages delivered at once have the outcomes and the order of single ones`, async () => {
    largestWrite = 0;
    const text = fc
      .tuple(fc.constantFrom("b", "d", "s", "t", "l", "r", "o", "o", "o"), fc.nat(2))
      .map(([letter, key]) => `${letter}${key}`);
    for (const texts of fc.sample(fc.array(text, { maxLength: 12 }), { seed: 11, numRuns: 60 })) {
      assert.equal(
        await outcomesOf(texts, strategy, true),
        await outcomesOf(texts, strategy, false),
        texts.join(),
      );
    }
    assert.ok(largestWrite > 1);
  });
}

test.run();
