import { test } from "uvu";
import * as assert from "uvu/assert";
import { memoryBuffer } from "../../../runtime/buffers/memory.ts";
import { bufferedInput } from "../../../runtime/connectors/buffered/input.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, inputContext } from "../connectors/contexts.ts";
import { givenInput } from "../connectors/given.ts";

/** Opens a stream whose input is followed by the buffer. */
async function open(options: Parameters<typeof memoryBuffer>[0]) {
  const child = givenInput();
  const stopping = new AbortController();
  const context = { ...inputContext(), signal: stopping.signal };
  const input = bufferedInput({ child, buffer: memoryBuffer(options) });
  await input.start(context);
  const deliver = (...texts: string[]) =>
    child.context?.deliver(batchOf(...texts)) ?? Promise.reject(new Error());
  return { input, context, deliver, stopping, child };
}

test("memory: a batch is acknowledged once it is stored, and delivered in order", async () => {
  const { input, context, deliver } = await open({});
  await deliver("a");
  await deliver("b", "c");
  const deliveries = await context.deliveries.take(2);
  assert.equal(
    deliveries.map(({ text }) => text),
    ["a", "b c"],
  );
  let isClosed = false;
  const closing = input.close().then(() => {
    isClosed = true;
  });
  for (const delivery of deliveries) {
    await new Promise(setImmediate);
    assert.not.ok(isClosed, "it waits for what is kept");
    delivery.confirm();
  }
  await closing;
  assert.equal(
    context.lines.filter(({ level }) => level === "error"),
    [],
  );
});

test("memory: the input waits while the buffer is full, and a failed delivery is retried", async () => {
  const { input, context, deliver } = await open({ limit: 5 });
  await deliver("abc");
  let isKept = false;
  const second = deliver("def").then(() => {
    isKept = true;
  });
  (await context.deliveries.next()).refuse(new GatewayError(502, "no"));
  const again = await context.deliveries.next();
  assert.equal([again.text, isKept], ["abc", false]);
  again.confirm();
  await second;
  (await context.deliveries.next()).confirm();
  const refused = await deliver("abcdef").catch((error: unknown) => error);
  assert.is((refused as GatewayError).status, 413);
  await input.close();
});

test("memory: with spillover, messages are rejected while the buffer is full", async () => {
  const { input, context, deliver } = await open({ limit: 5, spillover: true });
  await deliver("abc");
  const refused = await deliver("def").catch((error: unknown) => error);
  assert.is((refused as GatewayError).status, 503);
  (await context.deliveries.next()).confirm();
  await until(
    () =>
      deliver("def").then(
        () => true,
        () => false,
      ),
    { what: "room again" },
  );
  (await context.deliveries.next()).confirm();
  await input.close();
});

test("memory: a batch policy groups stored messages, and close delivers the rest", async () => {
  const { input, context, deliver } = await open({ batch_policy: { enabled: true, count: 3 } });
  for (const text of ["a", "b", "c", "d"]) await deliver(text);
  const first = await context.deliveries.next();
  assert.is(first.text, "a b c");
  first.confirm();
  const closing = input.close();
  const last = await context.deliveries.next();
  assert.is(last.text, "d");
  last.confirm();
  await closing;
});

test("memory: messages that are undelivered at the shutdown deadline are logged as lost", async () => {
  const { input, context, deliver, stopping } = await open({});
  await deliver("a", "b");
  (await context.deliveries.next()).refuse(new GatewayError(503, "no"));
  stopping.abort();
  await input.close();
  const [line] = context.lines.filter(({ level }) => level === "error");
  assert.equal([line?.message, line?.fields], ["messages in the memory buffer are lost", { messages: 2 }]);
});

test("buffered: the end of the input ends the stream once everything is delivered", async () => {
  const child = givenInput();
  const context = { ...inputContext(), ends: 0 };
  const input = bufferedInput({ child, buffer: memoryBuffer({}) });
  await input.start({
    ...context,
    reportEnd: () => {
      context.ends += 1;
    },
  });
  await child.context?.deliver(batchOf("a"));
  child.context?.reportEnd?.();
  await new Promise(setImmediate);
  assert.is(context.ends, 0);
  (await context.deliveries.next()).confirm();
  await until(() => context.ends === 1, { what: "the end" });
  await input.close();
});

test.run();
