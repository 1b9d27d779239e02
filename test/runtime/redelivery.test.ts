import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DeliveryWindow } from "../../runtime/delivery-window.ts";
import { GatewayError } from "../../runtime/errors.ts";
import { createRedelivery } from "../../runtime/redelivery.ts";
import { Queue } from "../harness/queue.ts";
import { batchOf, inputContext } from "./connectors/contexts.ts";

const test = suite("redelivery");
const refusal = new GatewayError(502, "not now");

test("delivers until it is confirmed, and tells only the first failure and the last success", async () => {
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
  assert.is(context.lines.length, 2);
});

test("gives up when it is abandoned, after one attempt", async () => {
  const context = inputContext();
  const redelivery = createRedelivery(context);
  const abandon = new AbortController();
  const delivered = redelivery.deliver(batchOf("a"), abandon.signal);
  (await context.deliveries.next()).refuse(refusal);
  abandon.abort();
  assert.is(await delivered, undefined);
  assert.equal(context.blocked, [true, false]);
  const late = redelivery.deliver(batchOf("b"), abandon.signal);
  (await context.deliveries.next()).confirm();
  assert.equal(await late, {});
});

test("a window hands over in order, holds what is beyond its limit, and drops only what may be dropped", async () => {
  const deliveries = new Queue<{ item: string; end(): void }>();
  const dropped: (number | undefined)[] = [];
  const window = new DeliveryWindow<string>({
    limit: 1,
    held: 1,
    deliver: (item) => new Promise((end) => deliveries.push({ item, end })),
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

test.run();
