import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MappingError } from "../../../runtime/errors.ts";
import { type Batch, Message } from "../../../runtime/message/message.ts";
import { boundsCheck, insertPart, selectParts, splitBatch } from "../../../runtime/processors/batch-parts.ts";
import { groupBy } from "../../../runtime/processors/group-by.ts";
import { groupByValue } from "../../../runtime/processors/group-by-value.ts";
import { switchCases } from "../../../runtime/processors/switch.ts";
import { componentContext, type LogLine, recordingLogger } from "../connectors/contexts.ts";

const test = suite("steps that look at batches");

const textOf = (message: Message | undefined) => Buffer.from(message?.bytes() ?? []).toString();
const texts = (batches: readonly Batch[]) => batches.map((batch) => batch.map(textOf));
const input = (...contents: string[]) => contents.map((content) => Message.fromText(content));

test("a message inserted in a case of a switch stands where it was put, not at the beginning", async () => {
  const check = (batch: Batch, index: number) => textOf(batch[index]) !== "x";
  const cases = [{ check, processors: [insertPart({ content: "new" })] }];
  const results = await switchCases({ cases }).process(input("a", "x", "b", "x"), componentContext());
  assert.equal(texts(results), [["a", "x", "b", "new", "x"]]);
});

test("a batch that is out of bounds is dropped, and the log says why without quoting it", async () => {
  const cases = [
    [{ max_parts: 1 }, "it has more messages than max_parts"],
    [{ min_parts: 3 }, "it has fewer messages than min_parts"],
    [{ max_part_size: 5 }, "a message is larger than max_part_size"],
    [{ min_part_size: 3 }, "a message is smaller than min_part_size"],
  ] as const;
  for (const [options, reason] of cases) {
    const lines: LogLine[] = [];
    const context = { ...componentContext(), log: recordingLogger(lines) };
    assert.equal(await boundsCheck(options).process(input("ab", "secret"), context), []);
    assert.equal(lines, [{ level: "warn", message: "batch dropped", fields: { reason, messages: 2 } }]);
  }
});

test("bounds that are not written are a gigabyte, one byte, 100 messages and one", async () => {
  const many = Array.from({ length: 101 }, () => Message.fromText("a"));
  const check = boundsCheck({});
  assert.is((await check.process(many.slice(1), componentContext())).flat().length, 100);
  assert.equal(await check.process(many, componentContext()), []);
  assert.equal(await check.process(input(""), componentContext()), []);
});

test("what a check or a value fails on is the last batch, flagged", async () => {
  const fail = (batch: Batch, index: number) => {
    if (textOf(batch[index]) === "bad") throw new MappingError("fails");
    return true;
  };
  const grouped = await groupBy({ groups: [{ check: fail }] }).process(input("bad", "a"), componentContext());
  const value = (batch: Batch, index: number) => String(fail(batch, index));
  const valued = await groupByValue({ value }).process(input("bad", "a"), componentContext());
  for (const [result, reason] of [
    [grouped, "fails"],
    [valued, "group value interpolation error: fails"],
  ] as const) {
    assert.equal(texts(result), [["a"], ["bad"]]);
    assert.is(result[1]?.[0]?.failure?.message, reason);
  }
});

test("places that a batch has not are passed over, twice named ones come twice", async () => {
  const selected = await selectParts({ parts: [2, -3, 1, 1, -4] }).process(
    input("a", "b", "c"),
    componentContext(),
  );
  assert.equal(texts(selected), [["c", "a", "b", "b"]]);
});

test("a split without limits leaves the batch whole", async () => {
  const whole = splitBatch({ size: 0 });
  assert.equal(texts(await whole.process(input("a", "b"), componentContext())), [["a", "b"]]);
});

test.run();
