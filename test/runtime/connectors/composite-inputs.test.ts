import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Input, Processor } from "../../../runtime/component/component.ts";
import { batchedInput } from "../../../runtime/connectors/batched/input.ts";
import { createInterval, generateInput } from "../../../runtime/connectors/generate/generate.ts";
import { scheduledGenerateInput } from "../../../runtime/connectors/generate/scheduled-input.ts";
import { plainHttpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { readUntilInput } from "../../../runtime/connectors/read-until/input.ts";
import { sequenceInput } from "../../../runtime/connectors/sequence/input.ts";
import { joinedSequenceInput } from "../../../runtime/connectors/sequence/joined-input.ts";
import { GatewayError, MappingError } from "../../../runtime/errors.ts";
import { batchIndex, batchSize } from "../../../runtime/mapping/messages.ts";
import { MappingRun } from "../../../runtime/mapping/run.ts";
import { Message } from "../../../runtime/message/message.ts";
import { EnvironmentError } from "../../../runtime/process/environment.ts";
import { inputWithProcessors } from "../../../runtime/processors/around/with-processors.ts";
import type { MappingFunction, QueryFunction } from "../../../runtime/processors/functions.ts";
import { until } from "../../harness/wait.ts";
import { each, textOf } from "../gateway/components.ts";
import { batchOf, inputContext, outagesInto, textOfBatch } from "./contexts.ts";
import { givenInput } from "./given.ts";

const test = suite("composite inputs");

/** Returns the context of an input that can end. */
function endingContext() {
  const state = { ends: 0 };
  return { ...inputContext(), state, reportEnd: () => (state.ends += 1) };
}

/** Returns a mapping that counts from 1. */
function counting(): MappingFunction {
  let number = 0;
  return () => {
    number += 1;
    return Message.fromText(String(number));
  };
}

const isEnd: QueryFunction = (batch, index) => {
  const text = textOf(batch[index] as Message); // the index is inside the batch
  if (text === "?") throw new MappingError("what is it?");
  return text === "end";
};

test("generate: emits batches up to count, and ends once all of them are acknowledged", async () => {
  const context = endingContext();
  const input = generateInput({ mapping: counting(), interval: "0s", count: 5, batch_size: 2 });
  await input.start(context);
  const deliveries = await context.deliveries.take(3);
  assert.equal(
    deliveries.map(({ text }) => text),
    ["1 2", "3 4", "5"],
  );
  for (const delivery of deliveries) {
    assert.is(context.state.ends, 0);
    delivery.confirm();
    await new Promise(setImmediate);
  }
  assert.is(context.state.ends, 1);
  await input.close();
});

test("generate: the number of batches in flight is bounded", async () => {
  const context = endingContext();
  const input = generateInput({ mapping: counting(), interval: "" });
  await input.start(context);
  const first = await context.deliveries.take(64);
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  assert.is(context.deliveries.all.length, 64);
  first[7]?.confirm();
  assert.is((await context.deliveries.next()).text, "65");
  const closing = input.close();
  for (const delivery of context.deliveries.all) delivery.confirm();
  await closing;
  assert.is(context.state.ends, 0);
});

test("generate: batches that stay in delivery take no more than their own places", async () => {
  const context = endingContext();
  const input = generateInput({ mapping: counting(), interval: "", count: 100 });
  await input.start(context);
  const stuck = await context.deliveries.take(63);
  for (let number = 64; number <= 100; number += 1) {
    const next = await context.deliveries.next();
    assert.is(next.text, String(number));
    next.confirm();
  }
  assert.is(context.state.ends, 0);
  for (const delivery of stuck) delivery.confirm();
  await until(() => context.state.ends === 1, { what: "the end" });
  assert.is(context.deliveries.all.length, 100);
  await input.close();
});

test("generate: a failed delivery is retried until the input closes", async () => {
  const context = endingContext();
  const input = generateInput({ mapping: counting(), interval: "1h" });
  await input.start(context);
  (await context.deliveries.next()).refuse(new GatewayError(502, "no"));
  const again = await context.deliveries.next();
  assert.is(again.text, "1");
  again.refuse(new GatewayError(502, "no"));
  await input.close();
  assert.is(context.state.ends, 0);
});

test("generate: without auto_replay_nacks a rejected message is given up", async () => {
  const givenUp: string[] = [];
  const giveUp = async (batch: Parameters<typeof textOfBatch>[0]) => {
    givenUp.push(textOfBatch(batch));
  };
  const context = { ...endingContext(), giveUp };
  const input = generateInput({ mapping: counting(), interval: "0s", count: 2, auto_replay_nacks: false });
  await input.start(context);
  const [first, second] = await context.deliveries.take(2);
  first?.refuse(new GatewayError(502, "no"));
  second?.confirm();
  await until(() => context.state.ends === 1, { what: "the end" });
  assert.equal(givenUp, ["1"]);
  await input.close();
});

test("generate: failed and dropped mapping results are skipped, and failures are reported as an outage", async () => {
  const outages: (string | undefined)[] = [];
  const context = { ...endingContext(), beginOutage: outagesInto(outages) };
  let made = 0;
  const mapping: MappingFunction = () => {
    made += 1;
    if (made === 1) throw new MappingError("one");
    return made === 2 ? undefined : Message.fromText(String(made));
  };
  await generateInput({ mapping, interval: "0s", count: 3 }).start(context);
  for (const text of ["3", "4", "5"]) {
    const delivery = await context.deliveries.next();
    assert.is(delivery.text, text);
    delivery.confirm();
  }
  await until(() => context.state.ends === 1, { what: "the end after three messages that were made" });
  assert.equal(outages, ["making messages fails: mapping_failed", undefined]);
  const [failed] = context.lines;
  assert.equal(
    [failed?.message, failed?.fields],
    ["making messages fails, trying on", { reason: "mapping_failed" }],
  );
});

test("generate: mappings read the messages of the batch made so far", async () => {
  const context = endingContext();
  const mapping: MappingFunction = (batch, index) => {
    const run = new MappingRun(batch, index);
    run.setMetadata("made", batchSize(run));
    return run.finish([batchSize(run), batchIndex(run), run.metadataValue("made"), run.documentIfAny()]);
  };
  await generateInput({ mapping, interval: "", count: 4, batch_size: 3 }).start(context);
  const deliveries = await context.deliveries.take(2);
  assert.equal(
    deliveries.map(({ text }) => text),
    ["[0,0,0,null] [1,0,1,[0,0,0,null]] [2,0,2,[0,0,0,null]]", "[0,0,0,null]"],
  );
  for (const delivery of deliveries) delivery.confirm();
  await until(() => context.state.ends === 1, { what: "the end" });
});

test("generate: parses intervals and schedules", async () => {
  for (const text of ["1s", "@every 1m30s", "", "0"]) assert.ok(createInterval(text), text);
  for (const text of ["soon", "@every", "0 3 * * *"]) assert.is(createInterval(text), undefined, text);
  const end = new AbortController();
  const began = performance.now();
  const ticks = createInterval("20ms");
  await ticks?.next(end.signal);
  await ticks?.next(end.signal);
  assert.ok(performance.now() - began >= 20, "the first at once, the second after the interval");
  const options = { mapping: counting() };
  assert.throws(
    () => generateInput({ ...options, interval: "0 3 * * *" }),
    (e: unknown) => e instanceof EnvironmentError,
  );
  assert.throws(() => scheduledGenerateInput({ ...options, interval: "61 * * * *" }), /nor a schedule/);
  const context = endingContext();
  const schedule = { ...options, count: 1 };
  const input = scheduledGenerateInput({ ...schedule, interval: "TZ=Europe/London * * * * * *" });
  await input.start(context);
  const delivery = await context.deliveries.next();
  delivery.confirm();
  await until(() => context.state.ends === 1);
  await input.close();
});

test("generate: closing cancels a long wait", async () => {
  const input = scheduledGenerateInput({ mapping: counting(), interval: "0 0 29 2 *" });
  await input.start(endingContext());
  await input.close();
});

test("batched: messages of the input form one batch, and each is acknowledged with it", async () => {
  const child = givenInput();
  const context = inputContext();
  const input = batchedInput({ child, policy: { count: 2 } });
  await input.start(context);
  const pending = [child.context?.deliver(batchOf("a")), child.context?.deliver(batchOf("b"))];
  const delivery = await context.deliveries.next();
  assert.is(delivery.text, "a b");
  delivery.confirm();
  await Promise.all(pending);
  const held = child.context?.deliver(batchOf("c"));
  const closing = input.close();
  (await context.deliveries.next()).confirm();
  await Promise.all([held, closing]);
  assert.is(child.closed, 1);
});

test("batched: an input with positions keeps them, and its partitions do not share batches", async () => {
  const [child, again] = [givenInput(), givenInput()];
  const undelivered = () => new Map([["p", 7n]]);
  const replay = { ...again, undelivered, ends: async () => new Map([["p", 9n]]) };
  const positions = { undelivered, from: () => replay };
  const input = batchedInput({ child: Object.assign(child, { positions }), policy: { count: 2 } });
  assert.equal(input.positions?.undelivered(), new Map([["p", 7n]]));
  const replayed = input.positions?.from(new Map());
  assert.equal(await replayed?.ends(), new Map([["p", 9n]]));
  for (const [source, reader] of [
    [child, input],
    [replay, replayed],
  ] as const) {
    const context = inputContext();
    await reader?.start(context);
    const texts = ["a p", "b q", "c p"];
    const pending = texts.map((text, index) => {
      const position = { part: text.slice(2), offset: BigInt(index) };
      return source.context?.deliver([Message.fromBytes(Buffer.from(text), new Map(), position)]);
    });
    const delivery = await context.deliveries.next();
    assert.is(delivery.text, "a p c p");
    delivery.confirm();
    const closed = reader?.close();
    (await context.deliveries.next()).confirm();
    await Promise.all([...pending, closed]);
  }
});

test("read_until: the message that fulfils the check is the last", async () => {
  const child = givenInput();
  const context = endingContext();
  const input = readUntilInput({ input: () => child, check: isEnd });
  await input.start(context);
  const before = child.context?.deliver(batchOf("a"));
  const last = batchOf("end");
  const first = child.context?.deliver(last).catch((error: unknown) => error);
  const beyond = await child.context?.deliver(batchOf("b")).catch((error: unknown) => error);
  assert.instance(beyond, GatewayError, "the broker keeps it");
  const [a, end] = await context.deliveries.take(2);
  assert.equal(
    [a, end].map((delivery) => delivery?.batch[0]?.metadata.get("bento_read_until")),
    [undefined, "final"],
  );
  a?.confirm();
  end?.refuse(new GatewayError(502, "no"));
  await Promise.all([before, first]);
  assert.is(context.state.ends, 0, "it is not confirmed yet");
  const again = child.context?.deliver(last);
  (await context.deliveries.next()).confirm();
  await again;
  assert.is(context.state.ends, 1);
  await input.close();
  assert.is(child.closed, 1);
});

test("read_until: a failing check counts as unfulfilled, and only the first message of a batch is checked", async () => {
  const child = givenInput();
  const context = endingContext();
  await readUntilInput({ input: () => child, check: isEnd }).start(context);
  for (const texts of [["?"], ["a", "end"]]) {
    const pending = child.context?.deliver(batchOf(...texts));
    const delivery = await context.deliveries.next();
    assert.equal(
      delivery.batch.map(({ metadata }) => metadata.get("bento_read_until")),
      texts.map(() => undefined),
    );
    delivery.confirm();
    await pending;
  }
  assert.is(context.state.ends, 0);
});

test("read_until: it ends after the idle timeout, or when the input ends", async () => {
  const child = givenInput();
  const context = endingContext();
  const input = readUntilInput({ input: () => child, idle_timeout: 5 });
  await input.start(context);
  await until(() => context.state.ends === 1);
  await input.close();
  const other = givenInput();
  const second = endingContext();
  await readUntilInput({ input: () => other }).start(second);
  other.context?.reportEnd?.();
  assert.is(second.state.ends, 1);
});

test("read_until: restart_input replaces an input that has ended", async () => {
  const made: (Input & { context?: ReturnType<typeof givenInput>["context"]; closed: number })[] = [];
  const create = () => {
    const each = made.length === 1 ? givenInput(new GatewayError(502, "not yet")) : givenInput();
    made.push(each);
    return each;
  };
  const context = endingContext();
  const input = readUntilInput({ input: create, check: isEnd, restart_input: true });
  await input.start(context);
  made[0]?.context?.reportEnd?.();
  const third = await until(() => made[2]?.context, { what: "an input that starts" });
  assert.equal([made[0]?.closed, made[1]?.closed], [1, 1]);
  const pending = third.deliver(batchOf("end"));
  (await context.deliveries.next()).confirm();
  await pending;
  assert.is(context.state.ends, 1);
  await input.close();
  assert.is(made[2]?.closed, 1);
});

test("sequence: reads one input after the other, then ends", async () => {
  const [one, two] = [givenInput(), givenInput()];
  const context = endingContext();
  const input = sequenceInput({ inputs: [() => one, () => two] });
  await input.start(context);
  assert.is(two.context, undefined);
  one.context?.reportEnd?.();
  const second = await until(() => two.context, { what: "the second input" });
  assert.is(one.closed, 1);
  const pending = second.deliver(batchOf("b"));
  const delivery = await context.deliveries.next();
  assert.is(delivery.text, "b");
  delivery.confirm();
  await pending;
  second.reportEnd?.();
  await until(() => context.state.ends === 1);
  await input.close();
  assert.is(two.closed, 2, "closing is safe to repeat");
});

/** Returns an input that delivers its batches when it starts, then ends. */
function endingInput(...batches: readonly (readonly string[])[]): Input {
  return {
    async start({ deliver, reportEnd }) {
      for (const texts of batches) await deliver(batchOf(...texts));
      reportEnd?.();
    },
    close: async () => undefined,
  };
}

/** Returns the messages of joined inputs; each is confirmed. */
async function joinedTexts(
  join: NonNullable<Parameters<typeof joinedSequenceInput>[0]["sharded_join"]>,
  ...inputs: readonly (readonly string[])[]
): Promise<readonly string[]> {
  const context = endingContext();
  const input = joinedSequenceInput({
    inputs: inputs.map((texts) => () => endingInput(texts)),
    sharded_join: join,
  });
  const texts: string[] = [];
  const pending = input.start(context);
  for (;;) {
    const delivery = await Promise.race([
      context.deliveries.next(),
      until(() => context.state.ends === 1, { what: "the end" }).then(() => undefined),
    ]);
    if (delivery === undefined) break;
    texts.push(delivery.text);
    delivery.confirm();
  }
  await pending;
  await input.close();
  return texts;
}

const main = ['{"id":"A","name":"x"}', '{"id":"B","name":"y"}', '{"name":"nobody"}', "no JSON"];
const hobbies = [
  '{"id":"A","hobby":"golf","n":12345678901234567890}',
  '{"id":"A","hobby":"chess","__proto__":1}',
];

test("sequence: sharded_join emits one message per identifier", async () => {
  const join = { type: "full-outer", id_path: "id" } as const;
  assert.equal(await joinedTexts(join, main, hobbies), [
    '{"__proto__":1,"hobby":["golf","chess"],"id":"A","n":12345678901234567890,"name":"x"}',
    '{"id":"B","name":"y"}',
  ]);
  const keep = { ...join, merge_strategy: "keep" } as const;
  assert.match((await joinedTexts(keep, main, hobbies))[0] ?? "", /"hobby":"golf"/);
  const replace = { ...join, merge_strategy: "replace", iterations: 4 } as const;
  const texts = await joinedTexts(replace, main, hobbies);
  assert.is(texts.length, 2, "each identifier is in one iteration");
  assert.match(texts.find((text) => text.includes('"A"')) ?? "", /"hobby":"chess"/);
});

test("sequence: an outer join emits one message for each message of the last input", async () => {
  const texts = await joinedTexts({ type: "outer", id_path: "id" }, main, hobbies);
  assert.equal(
    texts.map((text) => JSON.parse(text).hobby),
    ["golf", ["golf", "chess"]],
  );
});

test("sequence: joined inputs may be objects of a class", async () => {
  const input = joinedSequenceInput({
    inputs: [() => plainHttpServerInput({ path: "/messages" })],
    sharded_join: { type: "outer", id_path: "id" },
  });
  await input.start(endingContext());
  await input.close();
});

test("sequence: a next input that fails to start is reported as an outage until it starts", async () => {
  const outages: (string | undefined)[] = [];
  const [one, two] = [givenInput(), givenInput()];
  const declared = givenInput(); // only declares its routes
  const attempts = [declared, givenInput(new GatewayError(502, "no broker")), two];
  const context = { ...endingContext(), beginOutage: outagesInto(outages) };
  const input = sequenceInput({ inputs: [() => one, () => attempts.shift() ?? two] });
  await input.start(context);
  one.context?.reportEnd?.();
  await until(() => outages.length === 2, { what: "the second attempt" });
  assert.equal(outages, ["starting the next input fails: source_failed: no broker", undefined]);
  await input.close();
});

test("processors of an input run before its messages are delivered; dropped messages are acknowledged", async () => {
  const child = givenInput();
  const context = inputContext();
  const upper = each((message) =>
    textOf(message) === "drop" ? undefined : message.withBytes(Buffer.from(textOf(message).toUpperCase())),
  );
  await inputWithProcessors(child, [upper]).start(context);
  assert.equal(await child.context?.deliver(batchOf("drop")), {});
  const pending = child.context?.deliver(batchOf("a"));
  const delivery = await context.deliveries.next();
  assert.is(textOfBatch(delivery.batch), "A");
  delivery.confirm();
  await pending;
});

for (const isServer of [false, true]) {
  const title = isServer ? "do not wait for each other if they are requests" : "are delivered as they arrive";
  test(`messages without a key that processors of an input pass concurrently ${title}`, async () => {
    const child = { ...givenInput(), isServer };
    const context = inputContext();
    const first = Promise.withResolvers<void>();
    const slow: Processor = {
      async process(batch) {
        if (textOfBatch(batch) === "1") await first.promise;
        return [batch];
      },
    };
    await inputWithProcessors(child, [slow]).start(context);
    const pending = ["1", "2"].map((text) => child.context?.deliver(batchOf(text)));
    const next = async () => {
      const delivery = await context.deliveries.next();
      delivery.confirm();
      return textOfBatch(delivery.batch);
    };
    if (isServer) assert.is(await next(), "2");
    first.resolve();
    assert.is(await next(), "1");
    if (!isServer) assert.is(await next(), "2");
    await Promise.all(pending);
  });
}

test.run();
