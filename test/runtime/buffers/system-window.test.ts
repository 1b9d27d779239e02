import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { firstEnd, printEnd, systemWindowBuffer } from "../../../runtime/buffers/system-window.ts";
import { createRedelivery } from "../../../runtime/component/redelivery.ts";
import { Collectors } from "../../../runtime/concurrency/in-flight.ts";
import { bufferedInput } from "../../../runtime/connectors/buffered/input.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import type { Batch, Message } from "../../../runtime/message/message.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, inputContext } from "../connectors/contexts.ts";
import { givenInput } from "../connectors/given.ts";

/** Returns a time in nanoseconds since 1970. */
const at = (text: string) => BigInt(Date.parse(text)) * 1_000_000n;

/** Opens a stream whose clock the test sets. Each message contains its own timestamp. */
async function open(options: Partial<Parameters<typeof systemWindowBuffer>[0]> = {}) {
  const child = givenInput();
  const clock = { now: at("2026-01-01T10:00:01Z") };
  const timestamp_mapping = (batch: Batch, index: number) => batch[index] as Message; // the index is inside the batch
  const buffer = systemWindowBuffer({ size: 10_000, timestamp_mapping, ...options }, () => clock.now);
  const context = inputContext();
  const input = bufferedInput({ child, buffer });
  await input.start(context);
  const outcomes: string[] = [];
  const deliver = (...texts: string[]) => {
    const delivery = child.context?.deliver(batchOf(...texts)) ?? Promise.reject(new Error());
    delivery.then(
      () => outcomes.push(`${texts} delivered`),
      (error: unknown) => outcomes.push(`${texts} ${(error as GatewayError).status}`),
    );
  };
  return { input, context, clock, deliver, outcomes };
}

const json = (time: string) => JSON.stringify(`2026-01-01T10:00:${time}Z`);

test("system_window: an input that reads on after acknowledgements fills a window, also while another collector waits", async () => {
  const child = givenInput();
  const clock = { now: at("2026-01-01T10:00:01Z") };
  const input = bufferedInput({ child, buffer: systemWindowBuffer({ size: 100 }, () => clock.now) });
  const collectors = new Collectors();
  const context = inputContext();
  await input.start({ ...context, collectors });
  const redelivery = createRedelivery(child.context ?? context);
  const read = (text: string) => redelivery.deliverNext(batchOf(text), context.signal);
  for (const text of ["a", "b"]) await read(text);
  clock.now = at("2026-01-01T10:00:01.101Z");
  const first = await context.deliveries.next();
  assert.is(first.text, "a b");
  const held = { held: 0 };
  collectors.join(held);
  const next = read("c");
  held.held = 1;
  collectors.changed();
  await next;
  clock.now = at("2026-01-01T10:00:01.201Z");
  first.confirm();
  (await context.deliveries.next()).confirm();
  await redelivery.settled();
  await input.close();
});

test("system_window: the messages of a window are one batch, acknowledged once it is delivered", async () => {
  // The window ends before the input has read, so the test does not have to wait for its end.
  const { input, context, clock, deliver, outcomes } = await open({ size: 100 });
  deliver(json("01.05"), json("01.15"));
  deliver(json("01.1"));
  await new Promise(setImmediate);
  assert.equal(outcomes, []);
  clock.now = at("2026-01-01T10:00:01.101Z");
  const first = await context.deliveries.next();
  assert.is(first.text, `${json("01.05")} ${json("01.1")}`);
  assert.is(first.batch[0]?.metadata.get("window_end_timestamp"), "2026-01-01T10:00:01.1Z");
  first.refuse(new GatewayError(502, "no"));
  (await context.deliveries.next()).confirm();
  await until(() => outcomes.length === 1, { what: "an acknowledgement" });
  assert.equal(outcomes, [`${json("01.1")} delivered`], "part of the other batch waits for its window");
  deliver(json("01.0"));
  await until(() => outcomes.length === 2, { what: "a message that is too late to be dropped" });
  assert.ok(context.lines.some(({ message }) => message === "messages arrived too late for their window"));
  clock.now = at("2026-01-01T10:00:01.201Z");
  (await context.deliveries.next()).confirm();
  await until(() => outcomes.length === 3, { what: "the other batch" });
  await input.close();
});

test("system_window: with allowed lateness, a window accepts messages for a while after its end", async () => {
  const { input, context, clock, deliver, outcomes } = await open({ size: 100, allowed_lateness: 50 });
  deliver(json("01.05"));
  clock.now = at("2026-01-01T10:00:01.12Z");
  deliver(json("01.07"));
  await new Promise(setImmediate);
  clock.now = at("2026-01-01T10:00:01.151Z");
  const delivery = await context.deliveries.next();
  assert.is(delivery.text, `${json("01.05")} ${json("01.07")}`);
  delivery.confirm();
  await until(() => outcomes.length === 2, { what: "both acknowledgements" });
  deliver(json("01.08"));
  await until(() => outcomes.length === 3, { what: "a message that is too late to be dropped" });
  assert.ok(context.lines.some(({ message }) => message === "messages arrived too late for their window"));
  await input.close();
});

test("system_window: waiting messages are rejected when the input closes", async () => {
  const { input, deliver, outcomes } = await open();
  deliver(json("02"));
  await new Promise(setImmediate);
  await input.close();
  await until(() => outcomes.length === 1, { what: "the refusal" });
  assert.equal(outcomes, [`${json("02")} 503`]);
});

test("system_window: a clock set back neither drops nor delays messages without a timestamp", async () => {
  const child = givenInput();
  const clock = { now: at("2026-01-01T10:00:01.05Z") };
  const context = inputContext();
  const buffer = systemWindowBuffer({ size: 100 }, () => clock.now);
  const input = bufferedInput({ child, buffer });
  await input.start(context);
  const deliver = (text: string) => child.context?.deliver(batchOf(text)) ?? Promise.reject(new Error());
  const outcomes = [deliver("before")];
  clock.now = at("2026-01-01T10:00:01.101Z");
  const confirm = async (text: string) => {
    const delivery = await context.deliveries.next();
    assert.is(delivery.text, text);
    delivery.confirm();
  };
  await confirm("before");
  outcomes.push(deliver("of the time before"));
  clock.now = at("2026-01-01T09:00:00.05Z");
  outcomes.push(deliver("of the time after"));
  await until(() => {
    clock.now += 10_000_000n;
    return context.deliveries.all.length > 1;
  });
  await confirm("of the time before of the time after");
  await Promise.all(outcomes);
  assert.equal(context.lines, []);
  await input.close();
});

test("system_window: with a slide, a message is in several windows", async () => {
  const { input, context, clock, deliver, outcomes } = await open({ size: 100, slide: 50 });
  deliver(json("01.06"));
  clock.now = at("2026-01-01T10:00:01.1Z");
  const first = await context.deliveries.next();
  first.confirm();
  await until(() => outcomes.length === 1, { what: "an acknowledgement" });
  clock.now = at("2026-01-01T10:00:01.15Z");
  const second = await context.deliveries.next();
  assert.equal([first.text, second.text], [json("01.06"), json("01.06")]);
  second.confirm();
  await input.close();
});

test("system_window: an invalid timestamp rejects the batch", async () => {
  const { input, deliver, outcomes } = await open();
  deliver('"when"');
  await until(() => outcomes.length === 1, { what: "the refusal" });
  assert.equal(outcomes, ['"when" 422']);
  await input.close();
});

test("windows start at multiples of their step, as in the reference engine", () => {
  const windows = { size: 3_600_000_000_000n, step: 3_600_000_000_000n, offset: 0n };
  assert.is(printEnd(firstEnd(windows, at("2026-01-01T10:20:00Z"))), "2026-01-01T11:00:00Z");
  assert.is(printEnd(firstEnd(windows, at("2026-01-01T10:40:00Z"))), "2026-01-01T11:00:00Z");
  const shifted = { ...windows, offset: 600_000_000_000n };
  assert.is(printEnd(firstEnd(shifted, at("2026-01-01T10:05:00Z"))), "2026-01-01T10:10:00Z");
  const week = { size: 604_800_000_000_000n, step: 604_800_000_000_000n, offset: 0n };
  assert.is(printEnd(firstEnd(week, at("2026-01-01T00:00:00Z"))), "2026-01-05T00:00:00Z", "a Monday");
  fc.assert(
    fc.property(fc.bigInt(1n, 10n ** 6n), fc.bigInt(0n, 2n ** 62n), (step, now) => {
      const end = firstEnd({ size: step, step, offset: 0n }, now);
      assert.ok(end >= now && end - step < now);
    }),
    { seed: 5 },
  );
});

test.run();
