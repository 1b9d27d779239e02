// Messages that one part of a composite output never accepts, among others that are delivered, late or refused elsewhere.

import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Output } from "../../../runtime/component/component.ts";
import { CountedWrite } from "../../../runtime/component/outcomes.ts";
import { FailedMessages, failedMessage, unfitMessage } from "../../../runtime/component/unfit-messages.ts";
import { brokerOutput } from "../../../runtime/connectors/broker/output.ts";
import { dropOnOutput } from "../../../runtime/connectors/drop-on/drop-on.ts";
import { fallbackOutput } from "../../../runtime/connectors/fallback/output.ts";
import { retryOutput } from "../../../runtime/connectors/retry/output.ts";
import { switchOutput } from "../../../runtime/connectors/switch/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { unfit } from "../../../runtime/grammar/computed-text.ts";
import { prepareAll } from "../../../runtime/grammar/unfit-messages.ts";
import { type Batch, Message } from "../../../runtime/message/message.ts";
import { createLogger } from "../../../runtime/process/log.ts";
import { outputWithBatching } from "../../../runtime/processors/around/with-batching.ts";
import { outputWithProcessors } from "../../../runtime/processors/around/with-processors.ts";
import { deadLetters } from "../../../runtime/stream/dead-letters.ts";
import { Delivery } from "../../../runtime/stream/delivery.ts";
import { createCounters } from "../../../runtime/stream/stream-state.ts";
import { each, memoryOutput, textOf } from "./components.ts";

/** An output, and whether it has delivered a message. */
interface Part {
  readonly output: Output;
  has(text: string): boolean;
  /** How often each message was confirmed by each output that was written to. */
  counts(): readonly Map<string, number>[];
}

/** What becomes of a message: delivered, refused by the server, not carried by the protocol, or failed once. */
type Verdict = "ok" | "refused" | "unfit" | "late";

function leaf(verdictOf: (text: string) => Verdict): Part {
  const confirmed = new Map<string, number>();
  const late = new Set<string>();
  const output = memoryOutput(async (batch) => {
    prepareAll(batch, (message) => {
      if (verdictOf(textOf(message)) === "unfit") throw unfit("it cannot be written");
    });
    const write = new CountedWrite(batch.length);
    for (const message of batch) {
      const text = textOf(message);
      const verdict = verdictOf(text);
      if (verdict === "refused")
        write.refuse(unfitMessage(message, new GatewayError(502, "not allowed", { retryable: false })));
      else if (verdict === "late" && !late.has(text)) {
        late.add(text);
        write.refuse(failedMessage(message, new GatewayError(502, "not now")));
      } else {
        confirmed.set(text, (confirmed.get(text) ?? 0) + 1);
        write.confirm();
      }
    }
    return write.settled;
  });
  return { output, has: (text) => confirmed.has(text), counts: () => [confirmed] };
}

const list = (...verdicts: readonly (readonly [text: string, verdict: Verdict])[]) => {
  const known = new Map(verdicts);
  return leaf((text) => known.get(text) ?? "ok");
};

/** Returns a part made of others. */
function composed(
  parts: readonly Part[],
  create: (outputs: readonly Output[]) => Output,
  has: (text: string) => boolean,
): Part {
  const output = create(parts.map((part) => part.output));
  return { output, has, counts: () => parts.flatMap((part) => part.counts()) };
}

type Pattern = NonNullable<Parameters<typeof brokerOutput>[0]["pattern"]>;

function fanOut(pattern: Pattern, ...parts: readonly Part[]): Part {
  return composed(
    parts,
    (outputs) => brokerOutput({ pattern, outputs }),
    (text) => parts.every((part) => part.has(text)),
  );
}

function firstOf(create: (outputs: readonly Output[]) => Output, ...parts: readonly Part[]): Part {
  return composed(parts, create, (text) => parts.some((part) => part.has(text)));
}

/** Returns a switch: texts with an even number go to the first part, and with `continues` all go to the second. */
function switching(continues: boolean, first: Part, second: Part): Part {
  const isFirst = (text: string) => Number(text) % 2 === 0;
  return composed(
    [first, second],
    ([one, two]) =>
      switchOutput({
        cases: [
          {
            check: (batch: Batch, index: number) => isFirst(textOf(batch[index] ?? Message.fromText("1"))),
            output: one ?? first.output,
            continue: continues,
          },
          { output: two ?? second.output },
        ],
      }),
    (text) => (isFirst(text) ? first.has(text) && (!continues || second.has(text)) : second.has(text)),
  );
}

function around(create: (output: Output) => Output, part: Part): Part {
  return { ...part, output: create(part.output) };
}

const copying = each((message) => message.withEntries([["passed", "yes"]]));

/** Delivers the texts as one batch until it is confirmed, as an input does that delivers again. */
async function deliver(part: Part, texts: readonly string[]) {
  const letters = memoryOutput();
  const errorHandling = { strategy: "dead_letter", output: letters, letters: deadLetters } as const;
  const ending = new AbortController();
  const context = { log: createLogger("silent"), signal: ending.signal };
  const { output } = part;
  await output.start(context);
  const counters = createCounters();
  const delivery = new Delivery({ stream: "intake", pipeline: [], output, errorHandling }, context, counters);
  const failures: string[] = [];
  for (let isDelivered = false; !isDelivered; ) {
    if (failures.length > 20) throw new Error(`it is not delivered: ${failures.at(-1)}`);
    try {
      await delivery.deliver(texts.map((text) => Message.fromText(text)));
      isDelivered = true;
    } catch (error) {
      failures.push(String(error));
    }
  }
  await output.close();
  return { letters: letters.texts, failures, counters };
}

/** Returns how often the message was confirmed that was confirmed most often. */
function mostOften(part: Part): number {
  return Math.max(0, ...part.counts().flatMap((counts) => [...counts.values()]));
}

const patterns: readonly Pattern[] = ["fan_out_fail_fast", "fan_out_sequential_fail_fast"];

for (const pattern of [...patterns, "fan_out", "fan_out_sequential"] as const) {
  test(`${pattern}: what either output refuses becomes a letter, and nothing else is written again`, async () => {
    const part = fanOut(pattern, list(["1", "refused"]), list(["2", "refused"]));
    const { letters, failures, counters } = await deliver(part, ["1", "2", "3", "4"]);
    assert.equal([letters, failures], [["1", "2"], []]);
    assert.ok(part.has("3") && part.has("4"));
    assert.is(mostOften(part), 1);
    assert.equal([counters.written, counters.deadLettered, counters.delivered], [2, 2, 4]);
  });

  test(`${pattern}: what one output refuses does not hide what the other has not delivered yet`, async () => {
    for (const verdicts of [
      [list(["1", "refused"]), list(["2", "late"], ["3", "late"])],
      [list(["2", "late"], ["3", "late"]), list(["1", "refused"])],
    ]) {
      const part = fanOut(pattern, ...verdicts);
      const { letters } = await deliver(part, ["1", "2", "3"]);
      assert.equal(letters, ["1"]);
      assert.ok(part.has("2") && part.has("3"));
    }
  });
}

test("a failure that may pass decides for a write, whatever failed before it", async () => {
  const [refused, failed, late] = ["0", "1", "2"].map((text) => Message.fromText(text)) as [
    Message,
    Message,
    Message,
  ];
  const write = new CountedWrite(3);
  write.refuse(unfitMessage(refused, new GatewayError(502, "not allowed", { retryable: false })));
  write.refuse(failedMessage(failed, new GatewayError(503, "closing", { retryable: false })));
  write.refuse(failedMessage(late, new GatewayError(502, "not now")));
  const failure: unknown = await write.settled.catch((error: unknown) => error);
  assert.ok(failure instanceof FailedMessages);
  assert.equal([failure.message, failure.retryable], ["not now", true]);
  assert.equal([...failure.failures.keys()], [refused, failed, late]);
});

test("a switch delivers the messages of other cases beside one that is refused", async () => {
  for (const texts of [
    ["1", "2", "3", "4"],
    ["2", "1", "4", "3"],
  ]) {
    const part = switching(false, list(["2", "refused"]), list(["1", "late"]));
    const { letters, failures } = await deliver(part, texts);
    assert.equal([letters, failures.length], [["2"], 1]);
    assert.ok(["1", "3", "4"].every((text) => part.has(text)));
  }
});

test("a fallback gets the messages that the output before it did not deliver", async () => {
  const [first, second] = [list(["2", "refused"], ["3", "refused"]), list(["3", "refused"])];
  const { letters } = await deliver(firstOf(fallbackOutput, first, second), ["1", "2", "4"]);
  assert.equal([letters, first.has("2"), second.counts()], [[], false, [new Map([["2", 1]])]]);
  const part = firstOf(fallbackOutput, first, second);
  assert.equal((await deliver(part, ["3", "5"])).letters, ["3"]);
  assert.ok(part.has("5"));
});

test("a message that one of several outputs refuses is kept for another that is not there for now", async () => {
  const late = list(["1", "late"], ["2", "late"]);
  const refusing = list(["1", "refused"]);
  const rotation = firstOf((outputs) => brokerOutput({ pattern: "round_robin", outputs }), late, refusing);
  const { letters, failures } = await deliver(rotation, ["1", "2"]);
  assert.equal([letters, failures.length > 0, late.has("1")], [[], true, true]);
});

test("a batch that an output collected is not written again but for the messages that were refused", async () => {
  const part = around((output) => outputWithBatching(output, { count: 4 }), list(["2", "refused"]));
  const { output } = part;
  await output.start({ log: createLogger("silent"), signal: new AbortController().signal });
  const outcomes = await Promise.allSettled(
    ["1", "2", "3", "4"].map((text) => output.write([Message.fromText(text)])),
  );
  assert.equal(
    outcomes.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled", "fulfilled"],
  );
  assert.is(mostOften(part), 1);
  await output.close();
});

test("the messages of a batch that its output accepts count as delivered, and only the others as failed", async () => {
  const part = around((output) => outputWithBatching(output, { count: 4 }), list(["2", "late"]));
  const { counters, failures } = await deliver(part, ["1", "2", "3", "4"]);
  assert.is(failures.length, 1);
  const { received, delivered, written, failed, inFlight } = counters;
  assert.equal([received, delivered, written, failed, inFlight], [8, 7, 7, 1, 0]);
});

test("messages that the protocol cannot carry and those that the server refuses become letters together", async () => {
  const part = list(["1", "unfit"], ["2", "refused"], ["4", "late"]);
  const { letters, failures } = await deliver(part, ["1", "2", "3", "4"]);
  assert.equal([letters, failures.length], [["1", "2"], 1]);
  assert.ok(part.has("3") && part.has("4"));
});

test("a letter whose target is refused keeps no other letter from being written", async () => {
  const letters = list(["2", "refused"], ["4", "refused"]);
  const errorHandling = { strategy: "dead_letter", output: letters.output, letters: deadLetters } as const;
  const context = { log: createLogger("silent"), signal: new AbortController().signal };
  const pipeline = [each((message) => message.withFailure(new GatewayError(422, "no")))];
  const parts = { stream: "intake", pipeline, output: memoryOutput(), errorHandling };
  const delivery = new Delivery(parts, context, createCounters());
  const write = delivery.deliver(["1", "2", "3", "4"].map((text) => Message.fromText(text)));
  const failure = await write.catch((error: unknown) => error);
  assert.equal(failure instanceof GatewayError && [failure.status, failure.message], [502, "not allowed"]);
  assert.ok(letters.has("1") && letters.has("3"));
  assert.is(mostOften(letters), 1);
});

test("no message is lost between a delivery and a letter, and each letter is written once", async () => {
  const verdict = fc.constantFrom<Verdict>("ok", "ok", "ok", "refused", "unfit", "late");
  const { tree } = fc.letrec<{ tree: () => Part; leaf: () => Part }>((tie) => {
    const pair = fc.tuple(tie("tree"), tie("tree"));
    return {
      tree: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        tie("leaf"),
        fc.tuple(fc.constantFrom(...patterns), pair).map(
          ([pattern, [one, two]]) =>
            () =>
              fanOut(pattern, one(), two()),
        ),
        pair.map(
          ([one, two]) =>
            () =>
              firstOf(fallbackOutput, one(), two()),
        ),
        pair.map(
          ([one, two]) =>
            () =>
              firstOf((outputs) => brokerOutput({ pattern: "round_robin", outputs }), one(), two()),
        ),
        fc.tuple(fc.boolean(), pair).map(
          ([continues, [one, two]]) =>
            () =>
              switching(continues, one(), two()),
        ),
        fc
          .constantFrom<(output: Output) => Output>(
            (output) => retryOutput({ output, backoff: { initial_interval: 1, max_interval: 1 } }),
            (output) => outputWithBatching(output, { count: 2, period: 1 }),
            (output) => outputWithProcessors(output, [copying]),
            (output) => outputWithProcessors(output, [{ process: (batch) => batch.map((each) => [each]) }]),
            (output) => dropOnOutput({ output, error: false, back_pressure: 60_000 }),
          )
          .chain((create) => tie("tree").map((part) => () => around(create, part()))),
      ),
      leaf: fc
        .array(verdict, { minLength: 6, maxLength: 6 })
        .map((verdicts) => () => leaf((text) => verdicts[Number(text)] ?? "ok")),
    };
  });
  await fc.assert(
    fc.asyncProperty(tree, fc.integer({ min: 1, max: 6 }), async (create, size) => {
      const part = create();
      const texts = Array.from({ length: size }, (_, index) => String(index));
      const { letters, counters } = await deliver(part, texts);
      assert.is(new Set(letters).size, letters.length);
      for (const text of texts) assert.ok(letters.includes(text) || part.has(text), `${text} is lost`);
      assert.is(counters.deadLettered, letters.length);
    }),
    { numRuns: 300 },
  );
});

test.run();
