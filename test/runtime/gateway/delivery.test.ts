import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { ErrorHandling, Processor } from "../../../runtime/component/component.ts";
import { CountedWrite } from "../../../runtime/component/outcomes.ts";
import { unfitMessage } from "../../../runtime/component/unfit-messages.ts";
import { Ordering } from "../../../runtime/concurrency/ordering.ts";
import { Semaphore } from "../../../runtime/concurrency/semaphore.ts";
import { fallbackOutput } from "../../../runtime/connectors/fallback/output.ts";
import { GatewayError, MappingError } from "../../../runtime/errors.ts";
import { unfit } from "../../../runtime/grammar/computed-text.ts";
import { prepareAll } from "../../../runtime/grammar/unfit-messages.ts";
import { type Batch, Message } from "../../../runtime/message/message.ts";
import { createLogger } from "../../../runtime/process/log.ts";
import { outputWithProcessors } from "../../../runtime/processors/around/with-processors.ts";
import { deadLetters } from "../../../runtime/stream/dead-letters.ts";
import { Delivery } from "../../../runtime/stream/delivery.ts";
import { failureSamples } from "../../../runtime/stream/failure-samples.ts";
import { repeatDelivery } from "../../../runtime/stream/repeated-delivery.ts";
import { createCounters } from "../../../runtime/stream/stream-state.ts";
import { each, type MemoryOutput, memoryOutput, textOf } from "./components.ts";

const reject: ErrorHandling = { strategy: "reject" };

function createStream(
  pipeline: readonly Processor[],
  {
    output = memoryOutput(),
    errorHandling = reject,
    signal = new AbortController().signal,
  }: { output?: MemoryOutput; errorHandling?: ErrorHandling; signal?: AbortSignal } = {},
) {
  const lines: string[] = [];
  const counters = createCounters();
  const log = createLogger("debug", { write: (line) => lines.push(line) });
  const context = { log, signal };
  const delivery = new Delivery({ stream: "intake", pipeline, output, errorHandling }, context, counters);
  const send = (...texts: string[]) => delivery.deliver(texts.map((text) => Message.fromText(text)));
  return { send, output, counters, lines };
}

const upper = each((message) => message.withBytes(Buffer.from(textOf(message).toUpperCase())));
const failOnBad = each((message) =>
  textOf(message) === "bad" ? message.withFailure(new MappingError('got "bad"')) : message,
);

async function failureOf(delivery: Promise<unknown>): Promise<GatewayError> {
  try {
    await delivery;
  } catch (error) {
    assert.instance(error, GatewayError);
    return error as GatewayError;
  }
  throw new Error("it was delivered");
}

for (const threads of [undefined, 4]) {
  test(`messages keep the order of their keys through slow processors with ${threads ?? "any number of"} threads`, async () => {
    const random = fc.sample(fc.nat(3), { seed: 7, numRuns: 2000 });
    const busy = new Map<string, number>();
    let mostBusy = 0;
    let overlaps = 0;
    const slow: Processor = {
      async process(batch) {
        const [key = ""] = textOf(batch[0] ?? Message.fromText("")).split(" ");
        if (busy.has(key)) overlaps += 1;
        busy.set(key, 1);
        mostBusy = Math.max(mostBusy, busy.size);
        await pause(random.pop() ?? 0);
        busy.delete(key);
        return [batch];
      },
    };
    const memory = memoryOutput();
    const output = outputWithProcessors(memory, [each((message) => message), delayed(random)]);
    const context = { log: createLogger("silent"), signal: new AbortController().signal };
    await output.start(context);
    const turns = threads === undefined ? undefined : new Semaphore(threads);
    const ordering = new Ordering();
    const delivery = new Delivery(
      { stream: "intake", pipeline: [slow], output, errorHandling: reject, ordering, turns },
      context,
      createCounters(),
    );
    const input = {
      sequenceOf: (message: Message) => ({ name: textOf(message).split(" ")[0] ?? "", isKey: true }),
    };
    const texts = Array.from({ length: 500 }, (_, place) => `${(place * 7) % 13} ${place}`);
    await Promise.all(texts.map((text) => delivery.deliver([Message.fromText(text)], input)));
    const orders = (given: readonly string[]) => Map.groupBy(given, (text) => text.split(" ")[0]);
    assert.equal([...orders(memory.texts)].toSorted(), [...orders(texts)].toSorted());
    assert.is(overlaps, 0);
    assert.is(mostBusy, threads ?? 13);
  });
}

function delayed(times: number[]): Processor {
  return {
    async process(batch) {
      await pause(times.pop() ?? 0);
      return [batch];
    },
  };
}

test("processors run in order and the output gets one batch", async () => {
  const later: Processor = { process: async (batch) => [batch] };
  const exclaim = each((message) => message.withBytes(Buffer.from(`${textOf(message)}!`)));
  const { send, output, counters } = createStream([upper, later, exclaim]);
  await send("a", "b");
  assert.equal(output.texts, ["A!", "B!"]);
  assert.is(output.batches.length, 1);
  assert.equal(counters, { ...createCounters(), received: 2, delivered: 2, written: 2 });
});

test("a batch in the processors when the stream ends is rejected, even if they drop it", async () => {
  const ending = new AbortController();
  const cutShort: Processor = {
    async process(batch) {
      ending.abort();
      return [batch.map((message) => message.withFailure(new GatewayError(503, "cut short")))];
    },
  };
  const forgiving = each((message) => (message.failure === undefined ? message : undefined));
  const { send, counters } = createStream([cutShort, forgiving], { signal: ending.signal });
  assert.is((await failureOf(send("a"))).message, "Stream is stopping");
  assert.is(counters.delivered, 0);
});

test("a dropped batch counts as delivered", async () => {
  const { send, output, counters } = createStream([each(() => undefined), upper]);
  assert.equal(await send("a"), {});
  assert.is(output.batches.length, 0);
  assert.is(counters.delivered, 1);
});

test("a split batch is acknowledged when every part is", async () => {
  const split: Processor = { process: (batch) => batch.map((message) => [message]) };
  const confirmed: string[] = [];
  const output = memoryOutput(async (batch) => {
    const text = batch.map(textOf).join();
    await new Promise(setImmediate);
    confirmed.push(text);
    if (text === "b") throw new GatewayError(502, "b is refused");
    return { response: batch };
  });
  const { send } = createStream([split], { output });
  const { response = [] } = await send("a", "c");
  assert.equal(response.map(textOf), ["a", "c"]);
  const failure = await failureOf(send("a", "b", "c"));
  assert.is(failure.message, "b is refused");
  assert.equal(confirmed.slice(2), ["a", "b", "c"]);
});

test("reject: nothing of a batch with a failed message is written", async () => {
  const { send, output, counters } = createStream([failOnBad]);
  const failure = await failureOf(send("good", "bad"));
  assert.is(failure.status, 422);
  assert.is(output.batches.length, 0);
  assert.equal(counters, { ...createCounters(), received: 2, failed: 2 });
});

test("a failure cleared by a later processor does not hold the message back", async () => {
  const rescue = each((message) => message.withFailure(undefined));
  const { send, output } = createStream([failOnBad, rescue]);
  await send("bad");
  assert.equal(output.texts, ["bad"]);
});

test("none: failed messages are delivered nevertheless", async () => {
  const { send, output } = createStream([failOnBad], { errorHandling: { strategy: "none" } });
  await send("good", "bad");
  assert.equal(output.texts, ["good", "bad"]);
});

test("retry: a batch is processed again until nothing fails, or the maximum of attempts is reached", async () => {
  let failures = 1;
  const failsOnce = each((message) => {
    failures -= 1;
    return failures >= 0 ? message.withFailure(new MappingError("not yet")) : message;
  });
  const { send, output, lines } = createStream([failsOnce]);
  const log = createLogger("debug", { write: (line) => lines.push(line) });
  const { signal } = new AbortController();
  await repeatDelivery(send, log, signal, 0)("a");
  assert.equal(output.texts, ["a"]);
  assert.match(lines.join(""), /batch not delivered, trying again/);
  failures = 9;
  assert.is((await failureOf(repeatDelivery(send, log, signal, 2)("b"))).message, "not yet");
  assert.is(failures, 7, "two attempts");
});

test("log: failures of processors are logged, with the content only if configured", async () => {
  const step = failureSamples({})(failOnBad);
  const { send, lines } = createStream([step, failureSamples({})(upper)]);
  await failureOf(send("bad", "good"));
  const logged = lines.filter((line) => line.includes("failed processing"));
  assert.is(logged.length, 1);
  assert.not.match(logged[0] ?? "", /raw_payload|got/);
  const verbose = createStream([failureSamples({ add_payload: true })(failOnBad)]);
  await failureOf(verbose.send("bad"));
  const line = verbose.lines.map((each) => JSON.parse(each)).find(({ msg }) => msg === "failed processing");
  assert.equal([line?.raw_payload, line?.error, line?.level], ["bad", { message: 'got "bad"' }, "error"]);
  const silent = createStream([failureSamples({ sampling_ratio: 0 })(failOnBad)]);
  await failureOf(silent.send("bad"));
  assert.not.match(silent.lines.join(""), /failed processing/);
});

test("dead_letter: failed messages go there with the reason, the others continue", async () => {
  const letterOutput = memoryOutput();
  const errorHandling = { strategy: "dead_letter", output: letterOutput, letters: deadLetters } as const;
  const { send, output, counters } = createStream([failOnBad], { errorHandling });
  await send("good", "bad");
  assert.equal(output.texts, ["good"]);
  assert.equal(letterOutput.texts, ["bad"]);
  const [letter] = letterOutput.batches.flat();
  assert.is(letter?.metadata.get("dead_letter_reason"), 'got "bad"');
  assert.is(letter?.metadata.get("dead_letter_stream"), "intake");
  assert.is(letter?.failure, undefined);
  assert.is(counters.delivered, 2);
});

/** Returns an output that checks all messages before it writes any. */
function checkingOutput() {
  const written: string[] = [];
  const output = memoryOutput((batch) => {
    const texts = prepareAll(batch, (message) => {
      const text = textOf(message);
      if (text.startsWith("bad")) throw unfit(`${text} cannot be written`);
      return text;
    });
    written.push(...texts);
    return Promise.resolve({});
  });
  return { output, written };
}

test("dead_letter: only the messages that the output cannot write go there", async () => {
  const { output, written } = checkingOutput();
  const letterOutput = memoryOutput();
  const errorHandling = { strategy: "dead_letter", output: letterOutput, letters: deadLetters } as const;
  const { send, counters } = createStream([], { output, errorHandling });
  await send("one", "bad 1", "two", "bad 2");
  await send("bad 3");
  assert.equal(written, ["one", "two"]);
  assert.equal(letterOutput.texts, ["bad 1", "bad 2", "bad 3"]);
  const reasons = letterOutput.batches.flat().map(({ metadata }) => metadata.get("dead_letter_reason"));
  assert.equal(reasons, ["bad 1 cannot be written", "bad 2 cannot be written", "bad 3 cannot be written"]);
  assert.equal([counters.written, counters.deadLettered, counters.delivered], [2, 3, 5]);
});

test("dead_letter: messages transformed by processors of the output are retried one by one", async () => {
  const { output: checking, written } = checkingOutput();
  const output = outputWithProcessors(checking, [
    each((message) => message.withBytes(Buffer.from(`${textOf(message)}!`))),
  ]);
  const letterOutput = memoryOutput();
  const errorHandling = { strategy: "dead_letter", output: letterOutput, letters: deadLetters } as const;
  const context = { log: createLogger("silent"), signal: new AbortController().signal };
  await output.start(context);
  const counters = createCounters();
  const delivery = new Delivery({ stream: "intake", pipeline: [], output, errorHandling }, context, counters);
  await delivery.deliver(["one", "bad 1", "two", "bad 2"].map((text) => Message.fromText(text)));
  assert.equal(written, ["one!", "two!"]);
  assert.equal(letterOutput.texts, ["bad 1", "bad 2"]);
  assert.equal([counters.written, counters.deadLettered], [2, 2]);
});

test("dead_letter: letters are written once, after the others of their batch are delivered", async () => {
  const flagging = each((message) =>
    textOf(message) === "flagged" ? message.withFailure(new MappingError("no")) : message,
  );
  for (const [pipeline, texts] of [
    [[], ["one", "bad", "two"]],
    [[flagging], ["one", "flagged", "two"]],
  ] as const) {
    const letterOutput = memoryOutput();
    const errorHandling = { strategy: "dead_letter", output: letterOutput, letters: deadLetters } as const;
    const { output: checking } = checkingOutput();
    let attempts = 0;
    const output = memoryOutput(async (batch) => {
      await checking.write(batch);
      attempts += 1;
      if (attempts < 3) throw new GatewayError(502, "not now");
      return {};
    });
    const { send } = createStream(pipeline, { output, errorHandling });
    for (const _ of [1, 2]) assert.is((await failureOf(send(...texts))).message, "not now");
    assert.equal(letterOutput.texts, []);
    await send(...texts);
    assert.equal(letterOutput.texts, [texts[1]]);
  }
});

test("dead_letter: what an output delivered beside messages that it can never deliver is not written again", async () => {
  const written: string[] = [];
  const output = memoryOutput(async (batch) => {
    const write = new CountedWrite(batch.length);
    for (const message of batch) {
      written.push(textOf(message));
      const failure = new GatewayError(502, "not allowed");
      if (textOf(message).startsWith("bad")) write.refuse(unfitMessage(message, failure));
      else if (textOf(message) === "late") write.refuse(new GatewayError(502, "not now"));
      else write.confirm();
    }
    return write.settled;
  });
  const letterOutput = memoryOutput();
  const errorHandling = { strategy: "dead_letter", output: letterOutput, letters: deadLetters } as const;
  const { send, counters } = createStream([], { output, errorHandling });
  await send("one", "bad 1", "two", "bad 2");
  assert.equal(written, ["one", "bad 1", "two", "bad 2"]);
  assert.equal(letterOutput.texts, ["bad 1", "bad 2"]);
  assert.equal([counters.written, counters.deadLettered], [2, 2]);
  for (const texts of [
    ["bad 3", "late"],
    ["late", "bad 3"],
  ])
    assert.is((await failureOf(send(...texts))).message, "not now");
  assert.equal(letterOutput.texts, ["bad 1", "bad 2"]);
});

/** Returns an output that refuses the text `large` and messages whose metadata are not short plain texts. */
function plainOutput() {
  return memoryOutput((batch) => {
    prepareAll(batch, (message) => {
      if (textOf(message) === "large") throw unfit("it is too large");
      const size = [...message.metadata].flat().join("").length;
      const isPlain = [...message.metadata].every(
        ([name, value]) => /^[\w.-]+$/.test(name) && /^[ -~]*$/.test(String(value)),
      );
      if (!isPlain || size > 4096) throw unfit("its metadata cannot be headers");
    });
    return Promise.resolve({});
  });
}

test("dead_letter: metadata unsuitable for the dead-letter output do not prevent a message", async () => {
  const letters = fc.array(
    fc.record({
      metadata: fc.dictionary(
        fc.oneof(fc.string(), fc.constantFrom("__proto__", "dead_letter_reason", "X-Id")),
        fc.oneof(fc.string({ unit: "binary" }), fc.constant("long ".repeat(2000)), fc.integer()),
      ),
      reason: fc.oneof(fc.string({ unit: "binary" }), fc.constant("why\r\nX-Admin: yes".repeat(500))),
    }),
    { minLength: 1, maxLength: 4 },
  );
  await fc.assert(
    fc.asyncProperty(letters, async (made) => {
      const batch = made.map(({ metadata }, index) =>
        Message.fromText(`text ${index}`, new Map([...Object.entries(metadata), ["x-kept", `${index}`]])),
      );
      const failing = each((message) =>
        message.withFailure(new MappingError(made[Number(textOf(message).slice(5))]?.reason ?? "")),
      );
      const output = plainOutput();
      const written: Message[] = [];
      const letterOutput = {
        ...output,
        async write(given: Batch) {
          const delivered = await output.write(given);
          written.push(...given);
          return delivered;
        },
      };
      const errorHandling = { strategy: "dead_letter", output: letterOutput, letters: deadLetters } as const;
      const context = { log: createLogger("silent"), signal: new AbortController().signal };
      const parts = { stream: "intake", pipeline: [failing], output: memoryOutput(), errorHandling };
      await new Delivery(parts, context, createCounters()).deliver(batch);
      assert.equal(
        written.map((message) => textOf(message)),
        batch.map((message) => textOf(message)),
      );
      for (const [index, { metadata }] of written.entries()) {
        assert.is(metadata.get("dead_letter_stream"), "intake");
        assert.type(metadata.get("dead_letter_reason"), "string");
        assert.is(metadata.get("x-kept"), `${index}`);
      }
    }),
    { numRuns: 100, seed: 14 },
  );
});

test("dead_letter: a message unsuitable for the dead-letter output is rejected to its input", async () => {
  const errorHandling = { strategy: "dead_letter", output: plainOutput(), letters: deadLetters } as const;
  const failing = each((message) => message.withFailure(new MappingError("no")));
  const failure = await failureOf(createStream([failing], { errorHandling }).send("large"));
  assert.equal([failure.status, failure.message], [422, "it is too large"]);
});

test("reject and none: nothing is written of a batch with an invalid message", async () => {
  for (const strategy of ["reject", "none"] as const) {
    const { output, written } = checkingOutput();
    const { send } = createStream([], { output, errorHandling: { strategy } });
    const failure = await failureOf(send("one", "bad"));
    assert.equal([failure.status, failure.retryable, failure.message], [422, false, "bad cannot be written"]);
    assert.equal(written, []);
  }
});

test("dead_letter: an output that accepts failed messages gets them", async () => {
  const [letters, second] = [memoryOutput(), memoryOutput()];
  const output = fallbackOutput([memoryOutput(), second]);
  const context = { log: createLogger("silent"), signal: new AbortController().signal };
  await output.start(context);
  const errorHandling = { strategy: "dead_letter", output: letters, letters: deadLetters } as const;
  const parts = { stream: "intake", pipeline: [failOnBad], output, errorHandling };
  const delivery = new Delivery(parts, context, createCounters());
  await delivery.deliver([Message.fromText("good"), Message.fromText("bad")]);
  assert.equal([second.texts, letters.texts], [["bad"], []]);
});

/** Returns a step that holds each batch until the test releases it. */
function holding() {
  const held = new Map<string, () => void>();
  const step: Processor = {
    process: (batch) =>
      new Promise((resolve) => {
        held.set(batch.map(textOf).join(), () => resolve([batch]));
      }),
  };
  return { step, held };
}

test("threads: 1 keeps batches in order, for all durations of processors and outputs", async () => {
  const { step, held } = holding();
  const confirms: (() => void)[] = [];
  const output = memoryOutput(() => new Promise((resolve) => confirms.push(() => resolve({}))));
  const context = { log: createLogger("silent"), signal: new AbortController().signal };
  const parts = {
    stream: "intake",
    pipeline: [step],
    turns: new Semaphore(1),
    output,
    errorHandling: reject,
  };
  const delivery = new Delivery(parts, context, createCounters());
  const deliveries = ["a", "b", "c"].map((text) => delivery.deliver([Message.fromText(text)]));
  await new Promise(setImmediate);
  for (const text of ["a", "b", "c"]) {
    assert.equal([...held.keys()], [text], "the next one enters when the one before is on its way out");
    held.get(text)?.();
    held.delete(text);
    await new Promise(setImmediate);
  }
  assert.equal(output.texts, ["a", "b", "c"], "none of them is confirmed yet");
  for (const confirm of confirms) confirm();
  await Promise.all(deliveries);
});

test("threads: n batches are processed concurrently, and a failure frees its place", async () => {
  const { step, held } = holding();
  const context = { log: createLogger("silent"), signal: new AbortController().signal };
  const output = memoryOutput();
  const parts = {
    stream: "intake",
    pipeline: [failOnBad, step],
    turns: new Semaphore(2),
    output,
    errorHandling: reject,
  };
  const delivery = new Delivery(parts, context, createCounters());
  const outcomes = ["bad", "b", "c"].map((text) =>
    delivery.deliver([Message.fromText(text)]).catch((error: GatewayError) => error.status),
  );
  await new Promise(setImmediate);
  assert.equal([...held.keys()], ["bad", "b"]);
  held.get("bad")?.();
  await new Promise(setImmediate);
  assert.equal([...held.keys()], ["bad", "b", "c"]);
  for (const go of held.values()) go();
  assert.equal(await Promise.all(outcomes), [422, {}, {}]);
});

test("an unknown error is a bare 500, and its text is only logged", async () => {
  const broken: Processor = {
    process: () => {
      throw new TypeError("secret detail");
    },
  };
  const { send, lines } = createStream([broken]);
  const failure = await failureOf(send("a"));
  assert.is(failure.status, 500);
  assert.is(failure.message, "Internal error");
  assert.match(lines.join(""), "secret detail");
});

test("the log does not quote messages", async () => {
  const { send, lines } = createStream([failOnBad]);
  await failureOf(send("bad"));
  assert.is(lines.length, 1);
  assert.not.match(lines.join(""), /got/);
});

test.run();
