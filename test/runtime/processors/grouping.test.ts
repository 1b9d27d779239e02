import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Processor } from "../../../runtime/component/component.ts";
import { GatewayError, MappingError } from "../../../runtime/errors.ts";
import { type Batch, Message } from "../../../runtime/message/message.ts";
import { catchFlagged, forEach, inOrder, parallel } from "../../../runtime/processors/nested.ts";
import { retry } from "../../../runtime/processors/retry.ts";
import { switchCases } from "../../../runtime/processors/switch.ts";
import { tryInOrder } from "../../../runtime/processors/try.ts";
import { whileHolds } from "../../../runtime/processors/while.ts";
import { componentContext } from "../connectors/contexts.ts";

const test = suite("processors of processors");

const textOf = (message: Message | undefined) => Buffer.from(message?.bytes() ?? []).toString();
const shown = (batches: readonly Batch[]) =>
  batches.map((batch) => batch.map((each) => `${textOf(each)}${each.failure === undefined ? "" : " !"}`));
const input = (...contents: string[]) => contents.map((content) => Message.fromText(content));
const failure = new MappingError("broken");

/** Returns a step that changes the text of each message, immediately or one turn later. */
function step(change: (text: string) => string | undefined, later = false): Processor {
  const process = (batch: Batch) => [
    batch.map((message) => {
      const text = change(textOf(message));
      return text === undefined ? message.withFailure(failure) : message.withBytes(Buffer.from(text));
    }),
  ];
  return { process: (batch) => (later ? Promise.resolve(batch).then(process) : process(batch)) };
}

/** Splits a message into one message per character of its text. */
const spell: Processor = {
  process: (batch) => [
    batch.flatMap((message) => [...textOf(message)].map((each) => message.withBytes(Buffer.from(each)))),
  ],
};

for (const later of [false, true]) {
  test(`try continues with the messages that did not fail after a split${later ? ", later" : ""}`, async () => {
    const failOnB = step((text) => (text === "b" ? undefined : text.toUpperCase()), later);
    const processor = tryInOrder([spell, failOnB, step((text) => `${text}.`, later)]);
    const results = await processor.process(input("abc", "d"), componentContext());
    assert.equal(shown(results), [["A.", "b !", "C.", "D."]]);
  });
}

test("a try within a case of a switch keeps every message in position", async () => {
  const inner = tryInOrder([spell, step((text) => (text === "2" ? undefined : text))]);
  const cases = [{ check: (batch: Batch, at: number) => textOf(batch[at]) !== "x", processors: [inner] }];
  const results = await switchCases({ cases }).process(input("12", "x", "3"), componentContext());
  assert.equal(shown(results), [["1", "2 !", "x", "3"]]);
});

test("catch receives flagged messages, clears their flags, and skips the others", async () => {
  const seen: boolean[] = [];
  const look: Processor = {
    process: (batch) => {
      seen.push(...batch.map((message) => message.failure === failure));
      return [batch];
    },
  };
  const flagged = Message.fromText("bad").withFailure(failure);
  const [batch] = await catchFlagged([look, step(() => undefined)]).process(
    [Message.fromText("good"), flagged],
    componentContext(),
  );
  assert.equal(shown([batch ?? []]), [["good", "bad"]]);
  assert.equal(seen, [true]);
});

test("dropping every message leaves no batch", async () => {
  const drop: Processor = { process: () => [] };
  for (const make of [tryInOrder, inOrder, forEach]) {
    assert.equal(await make([drop]).process(input("a", "b"), componentContext()), []);
  }
  assert.equal(await parallel({ processors: [drop] }).process(input("a", "b"), componentContext()), []);
});

test("parallel respects its cap, and waits for all messages when one is rejected", async () => {
  let running = 0;
  let most = 0;
  let ended = 0;
  const slow: Processor = {
    async process(batch) {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      ended++;
      if (textOf(batch[0]) === "b") throw new GatewayError(503, "refused");
      return [batch];
    },
  };
  const processor = parallel({ cap: 2, processors: [slow] });
  assert.equal(shown(await processor.process(input("a", "c", "d", "e"), componentContext())), [
    ["a", "c", "d", "e"],
  ]);
  assert.is(most, 2);
  ended = 0;
  try {
    await processor.process(input("b", "c", "d"), componentContext());
    assert.unreachable();
  } catch (error) {
    assert.instance(error, GatewayError);
  }
  assert.is(running, 0);
  assert.ok(ended >= 2);
});

test("an endless while is aborted when the stream stops, and does not block the event loop", async () => {
  const stopping = new AbortController();
  setImmediate(() => stopping.abort());
  const endless = whileHolds({ check: () => true, processors: [step((text) => text)] });
  try {
    await endless.process(input("a"), { ...componentContext(), signal: stopping.signal });
    assert.unreachable();
  } catch (error) {
    assert.is(error instanceof GatewayError && error.status, 503);
  }
});

test("while checks the first message of the first batch, and ends when nothing is left", async () => {
  const asked: string[] = [];
  const check = (batch: Batch, index: number) => {
    asked.push(textOf(batch[index]));
    return asked.length < 3;
  };
  const each: Processor = { process: (batch) => batch.map((message) => [message]) };
  const results = await whileHolds({ check, processors: [each] }).process(
    input("a", "b"),
    componentContext(),
  );
  assert.equal(shown(results), [["a"], ["b"]]);
  assert.equal(asked, ["a", "a", "a"]);
  const drop: Processor = { process: () => [] };
  assert.equal(
    await whileHolds({ check: () => true, processors: [drop] }).process(input("a"), componentContext()),
    [],
  );
});

test("retry waits between attempts, discards failed ones, and counts", async () => {
  let attempts = 0;
  const flaky = step((text) => (++attempts < 3 ? undefined : `${text}${attempts}`));
  const backoff = { initial_interval: 1, max_interval: 1, max_elapsed_time: 0 };
  const flagged = Message.fromText("a").withFailure(failure);
  const [batch] = await retry({ backoff, processors: [step((text) => `${text}-`), flaky] }).process(
    [flagged],
    componentContext(),
  );
  assert.equal(shown([batch ?? []]), [["a-3"]]);
  assert.is(batch?.[0]?.metadata.get("retry_count"), 2);
  assert.ok(Number(batch?.[0]?.metadata.get("backoff_duration")) > 0);
});

test("a waiting retry is aborted when the stream stops", async () => {
  const stopping = new AbortController();
  const failing: Processor = {
    process(batch) {
      setImmediate(() => stopping.abort());
      return [batch.map((message) => message.withFailure(failure))];
    },
  };
  try {
    const backoff = { initial_interval: 3_600_000, max_interval: 3_600_000, max_elapsed_time: 0 };
    await retry({ backoff, processors: [failing] }).process(input("a"), {
      ...componentContext(),
      signal: stopping.signal,
    });
    assert.unreachable();
  } catch (error) {
    assert.is(error instanceof GatewayError && error.status, 503);
  }
});

test("close reaches the child processors of all of them", async () => {
  let closed = 0;
  const child: Processor = {
    process: (batch) => [batch],
    async close() {
      closed++;
    },
  };
  const all = [
    ...[tryInOrder, catchFlagged, inOrder, forEach].map((make) => make([child])),
    parallel({ processors: [child] }),
    retry({ processors: [child] }),
    whileHolds({ check: () => false, processors: [child] }),
  ];
  for (const each of all) await each.close?.();
  assert.is(closed, all.length);
});

test.run();
