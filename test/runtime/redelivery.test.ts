import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { InputContext } from "../../runtime/component/component.ts";
import { deliverArrivals } from "../../runtime/component/given-back.ts";
import { createRedelivery, createRedeliveryOfEach } from "../../runtime/component/redelivery.ts";
import { DeliveryWindow } from "../../runtime/concurrency/delivery-window.ts";
import { GatewayError } from "../../runtime/errors.ts";
import { type Batch, Message } from "../../runtime/message/message.ts";
import { collectGarbage } from "../harness/heap.ts";
import { Queue } from "../harness/queue.ts";
import { until } from "../harness/wait.ts";
import { batchOf, inputContext } from "./connectors/contexts.ts";

const test = suite("redelivery");
const refusal = new GatewayError(502, "not now");

test("delivers until confirmed, and reports blocked from the first failure to the last success", async () => {
  const context = inputContext();
  const redelivery = createRedelivery(context);
  const stay = new AbortController().signal;
  const one = redelivery.deliver(batchOf("one"), stay);
  const two = redelivery.deliver(batchOf("two"), stay);
  for (const delivery of await context.deliveries.take(2)) delivery.refuse(refusal);
  const again = await context.deliveries.take(2);
  assert.equal(context.blocked, [true]);
  const [first, second] = again.toSorted((a, b) => a.text.localeCompare(b.text));
  first?.confirm();
  await one;
  assert.equal(context.blocked, [true]);
  second?.confirm({ response: batchOf("reply") });
  assert.is((await two)?.response?.length, 1);
  assert.equal(context.blocked, [true, false]);
});

test("stops after one attempt when abandoned", async () => {
  const context = inputContext();
  const redelivery = createRedelivery(context);
  const abandon = new AbortController();
  const delivered = redelivery.deliver(batchOf("a"), abandon.signal);
  (await context.deliveries.next()).refuse(refusal);
  await until(() => context.blocked.length === 1);
  abandon.abort();
  assert.is(await delivered, undefined);
  assert.equal(context.blocked, [true, false]);
  const late = redelivery.deliver(batchOf("b"), abandon.signal);
  (await context.deliveries.next()).confirm();
  assert.equal(await late, {});
});

test("a message rejected because its input closes does not report blocked", async () => {
  const context = inputContext();
  const abandon = new AbortController();
  const delivered = createRedelivery(context).deliver(batchOf("a"), abandon.signal);
  const delivery = await context.deliveries.next();
  abandon.abort();
  delivery.refuse(refusal);
  assert.is(await delivered, undefined);
  assert.equal(context.blocked, []);
});

test("after the last attempt giveUp takes the batch, and only its success counts as delivered", async () => {
  const given: string[] = [];
  const refusals = [new GatewayError(503, "no room here either")];
  const context = Object.assign(inputContext(), {
    maxAttempts: 2,
    giveUp: async (batch: Batch, failure: GatewayError) => {
      given.push(`${batch.length} ${failure.message}`);
      const refused = refusals.pop();
      if (refused !== undefined) throw refused;
    },
  });
  const delivered = createRedelivery(context).deliver(batchOf("a"), new AbortController().signal);
  for (let attempt = 0; attempt < 3; attempt++) (await context.deliveries.next()).refuse(refusal);
  assert.equal(await delivered, {});
  assert.equal(given, ["1 not now", "1 not now"], "what cannot be put aside is tried again");
  assert.equal(context.blocked, [true, false]);
});

test("a window delivers in order, holds messages beyond its limit, and drops only droppable ones", async () => {
  const deliveries = new Queue<{ item: string; end(): void }>();
  const dropped: (number | undefined)[] = [];
  const window = new DeliveryWindow<string>({
    limit: 1,
    held: 1,
    bytes: 1000,
    sizeOf: (item) => item.length,
    deliver(items, settle) {
      for (const [index, item] of items.entries()) deliveries.push({ item, end: () => settle(index) });
    },
    onDropped: (count) => dropped.push(count),
  });
  for (const item of ["a", "b", "lost", "also lost"]) window.take(item, true);
  window.take("kept", false);
  const idle = window.idle();
  for (const expected of ["a", "b", "kept"]) {
    const { item, end } = await deliveries.next();
    assert.is(item, expected);
    end();
  }
  await idle;
  assert.equal(dropped, [undefined, 2]);
});

test("a window delivers items together that arrive in one turn, or follow others that are settled in one", async () => {
  const deliveries = new Queue<{ items: readonly string[]; settle: (index: number) => void }>();
  const window = new DeliveryWindow<string>({
    limit: 3,
    held: 10,
    bytes: 1000,
    sizeOf: (item) => item.length,
    deliver: (items, settle) => deliveries.push({ items, settle }),
    onDropped: () => undefined,
  });
  for (const item of ["a", "b", "c", "d", "e", "f"]) window.take(item, false);
  const first = await deliveries.next();
  assert.equal(first.items, ["a", "b", "c"]);
  for (const index of [1, 0]) first.settle(index);
  window.take("g", false);
  const second = await deliveries.next();
  assert.equal(second.items, ["d", "e"]);
  first.settle(2);
  for (const index of [0, 1]) second.settle(index);
  const third = await deliveries.next();
  assert.equal(third.items, ["f", "g"]);
  const idle = window.idle();
  for (const index of [0, 1]) third.settle(index);
  await idle;
});

test("a window also counts bytes, and reports drops once half of them are free", async () => {
  const deliveries = new Queue<{ item: string; end(): void }>();
  const dropped: (number | undefined)[] = [];
  const window = new DeliveryWindow<string>({
    limit: 10,
    held: 10,
    bytes: 4,
    sizeOf: (item) => item.length,
    deliver(items, settle) {
      for (const [index, item] of items.entries()) deliveries.push({ item, end: () => settle(index) });
    },
    onDropped: (count) => dropped.push(count),
  });
  for (const item of ["single", "lost"]) window.take(item, true);
  window.take("kept", false);
  const single = await deliveries.next();
  const kept = await deliveries.next();
  assert.equal([single.item, kept.item, dropped], ["single", "kept", [undefined]]);
  const idle = window.idle();
  single.end();
  await Promise.resolve();
  kept.end();
  await idle;
  assert.equal(dropped, [undefined, 1]);
});

test("a message with an outcome is not kept while others that arrived with it are repeated", async () => {
  const context = inputContext();
  const stay = new AbortController().signal;
  await assertReleased(
    (given, confirmed) => {
      const deliver = createRedeliveryOfEach({ ...context, ...given });
      return (items, settle) =>
        deliver(messagesOf(items), stay, (index) => {
          if (items[index] !== undefined) confirmed();
          settle(index);
        });
    },
    () => context.blocked.length === 1,
  );
});

test("a message with an outcome is not kept while others that arrived with it are refused", async () => {
  const returned = Promise.withResolvers<void>();
  let isRefused = false;
  await assertReleased(
    (given, confirmed) => (items, settle) =>
      deliverArrivals({ ...inputContext(), ...given }, items, settle, {
        messageOf: (item) => Message.fromBytes(item),
        confirm: confirmed,
        refuse: () => {
          isRefused = true;
          return returned.promise;
        },
      }),
    () => isRefused,
    returned.resolve,
  );
});
type Deliver = ConstructorParameters<typeof DeliveryWindow<Buffer>>[0]["deliver"];

/**
 * Delivers two messages that arrive together, of which the second fails, and checks that the first is not kept once it is
 * `confirmed` and `isFailed` is true. `end` settles the second.
 */
async function assertReleased(
  deliverInto: (given: Pick<InputContext, "deliver">, confirmed: () => void) => Deliver,
  isFailed: () => boolean,
  end: () => void = () => undefined,
): Promise<void> {
  let attempts = 0;
  let confirmed = 0;
  const given = {
    async deliver() {
      attempts += 1;
      if (attempts === 2) throw refusal;
      return {};
    },
  };
  const window = new DeliveryWindow<Buffer>({
    limit: 10,
    held: 0,
    bytes: 100,
    sizeOf: (item) => item.length,
    deliver: deliverInto(given, () => {
      confirmed += 1;
    }),
    onDropped: () => undefined,
  });
  const items = ["confirmed", "failed"].map((text) => new WeakRef(takeBuffer(window, text)));
  await until(() => confirmed === 1 && isFailed());
  await new Promise(setImmediate);
  collectGarbage();
  assert.equal(
    items.map((item) => item.deref()?.toString()),
    [undefined, "failed"],
  );
  end();
  await window.idle();
}

const messagesOf = (items: readonly Buffer[]) => items.map((item) => Message.fromBytes(item));

/** Returns a buffer which a window takes, so that the caller has no variable for it. */
function takeBuffer(window: DeliveryWindow<Buffer>, text: string): Buffer {
  const item = Buffer.from(text);
  window.take(item, false);
  return item;
}

test.run();
