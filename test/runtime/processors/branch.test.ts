import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Processor } from "../../../runtime/component/component.ts";
import { GatewayError, MappingError } from "../../../runtime/errors.ts";
import { type Batch, Message } from "../../../runtime/message/message.ts";
import { branch } from "../../../runtime/processors/branch.ts";
import { componentContext } from "../connectors/contexts.ts";

const test = suite("branch");

const texts = (batches: readonly Batch[]) => batches.flat().map(textOf);
const textOf = (message: Message | undefined) => Buffer.from(message?.bytes() ?? []).toString();
const failures = (batches: readonly Batch[]) => batches.flat().map(({ failure }) => failure?.message);
const input = (...contents: string[]) => contents.map((content) => Message.fromText(content));

/** Returns a step that changes each text, immediately or one turn later. */
function each(change: (message: Message) => Message, later = false): Processor {
  const changeAll = (batch: Batch) => [batch.map(change)];
  return { process: (batch) => (later ? Promise.resolve(batch).then(changeAll) : changeAll(batch)) };
}
const upper = (later = false) => each((message) => Message.fromText(textOf(message).toUpperCase()), later);
const joined = (result: Batch, origin: Batch, index: number) =>
  origin[index]?.withBytes(Buffer.from(`${textOf(origin[index])}+${textOf(result[index])}`));

test("result_map writes the outcome of the processors into the original", async () => {
  const step = branch({ processors: [upper(true), upper()], result_map: joined });
  assert.equal(texts(await step.process(input("a", "b"), componentContext())), ["a+A", "b+B"]);
});

test("without result_map, or if result_map drops, the original stays", async () => {
  const context = componentContext();
  assert.equal(texts(await branch({ processors: [upper()] }).process(input("a"), context)), ["a"]);
  const dropping = branch({ processors: [upper()], result_map: () => undefined });
  assert.equal(texts(await dropping.process(input("a"), context)), ["a"]);
});

test("request_map builds the side message, and dropping it skips the branch", async () => {
  const step = branch({
    request_map: (batch, index) =>
      textOf(batch[index]) === "skip" ? undefined : Message.fromText(`for ${textOf(batch[index])}`),
    processors: [upper()],
    result_map: joined,
  });
  const results = await step.process(input("a", "skip", "b"), componentContext());
  assert.equal(texts(results), ["a+FOR A", "skip", "b+FOR B"]);
});

test("a batch whose messages are all skipped reaches no processor", async () => {
  const never: Processor = {
    process: () => {
      throw new Error("reached");
    },
  };
  const step = branch({ request_map: () => undefined, processors: [never] });
  assert.equal(texts(await step.process(input("a"), componentContext())), ["a"]);
});

test("each failure flags the original and changes nothing else", async () => {
  const failing = () => {
    throw new MappingError("no such field");
  };
  const flagging = each((message) => message.withFailure(new GatewayError(502, "no reply")));
  const context = componentContext();
  for (const [step, reason] of [
    [
      branch({ request_map: failing, processors: [upper()], result_map: joined }),
      "request mapping failed: no such field",
    ],
    [branch({ processors: [flagging], result_map: joined }), "processors failed: no reply"],
    [branch({ processors: [upper()], result_map: failing }), "result mapping failed: no such field"],
  ] as const) {
    const results = await step.process(input("a"), context);
    assert.equal(texts(results), ["a"]);
    assert.equal(failures(results), [reason]);
  }
});

test("only the message that failed is flagged", async () => {
  const step = branch({
    request_map: (batch, index) => {
      if (textOf(batch[index]) === "bad") throw new MappingError("bad");
      return batch[index];
    },
    processors: [upper()],
    result_map: joined,
  });
  const results = await step.process(input("a", "bad", "b"), componentContext());
  assert.equal(texts(results), ["a+A", "bad", "b+B"]);
  assert.equal(failures(results), [undefined, "request mapping failed: bad", undefined]);
});

test("a flag of the original stays with it and does not enter the branch", async () => {
  const seen: unknown[] = [];
  const look = each((message) => {
    seen.push(message.failure);
    return message;
  });
  const flagged = [Message.fromText("a").withFailure(new GatewayError(422, "earlier"))];
  const results = await branch({ processors: [look], result_map: joined }).process(
    flagged,
    componentContext(),
  );
  assert.equal(seen, [undefined]);
  assert.equal(failures(results), ["earlier"]);
  assert.equal(texts(results), ["a+a"]);
});

test("processors that change the number of messages flag all originals", async () => {
  const dropping: Processor = { process: (batch) => [batch.slice(1)] };
  const step = branch({ processors: [dropping], result_map: joined });
  const results = await step.process(input("a", "b"), componentContext());
  assert.equal(texts(results), ["a", "b"]);
  const counts = "started with 1 messages, finished with 2";
  const text = `message count from branch processors does not match request, ${counts}`;
  assert.equal(failures(results), [text, text]);
  const none = branch({ processors: [{ process: () => [] }], result_map: joined });
  const nothing = "child processors resulted in zero messages";
  assert.equal(failures(await none.process(input("a", "b"), componentContext())), [nothing, nothing]);
});

test("close reaches the processors", async () => {
  let closed = 0;
  const closing: Processor = {
    process: (batch) => [batch],
    close: async () => {
      closed += 1;
    },
  };
  await branch({ processors: [closing, upper()] }).close?.();
  assert.is(closed, 1);
});

test.run();
