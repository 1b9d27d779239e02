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
const earlier = new MappingError("earlier");
const input = (...contents: string[]) => contents.map((content) => Message.fromText(content));

test("a message inserted in a case of a switch keeps its position instead of moving to the start", async () => {
  const check = (batch: Batch, index: number) => textOf(batch[index]) !== "x";
  const cases = [{ check, processors: [insertPart({ content: "new" })] }];
  const results = await switchCases({ cases }).process(input("a", "x", "b", "x"), componentContext());
  assert.equal(texts(results), [["a", "x", "b", "new", "x"]]);
});

test("a batch that is out of bounds is dropped, and the log gives the reason without quoting it", async () => {
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

test("default bounds are a gigabyte, one byte, 100 messages and one", async () => {
  const many = Array.from({ length: 101 }, () => Message.fromText("a"));
  const check = boundsCheck({});
  assert.is((await check.process(many.slice(1), componentContext())).flat().length, 100);
  assert.equal(await check.process(many, componentContext()), []);
  assert.equal(await check.process(input(""), componentContext()), []);
});

const failOnBad = (batch: Batch, index: number) => {
  if (textOf(batch[index]).startsWith("bad")) throw new MappingError("fails");
  return textOf(batch[index]) !== "other";
};

test("a failing group check matches nothing, keeps an earlier flag, and is logged", async () => {
  const lines: LogLine[] = [];
  const context = { ...componentContext(), log: recordingLogger(lines) };
  const given = [...input("bad", "a"), ...input("bad before").map((each) => each.withFailure(earlier))];
  const grouped = await groupBy({ groups: [{ check: failOnBad }] }).process(given, context);
  assert.equal(texts(grouped), [["a"], ["bad", "bad before"]]);
  assert.equal(
    grouped[1]?.map(({ failure }) => failure?.message),
    [undefined, "earlier"],
  );
  const warnings = lines.filter(({ level }) => level === "warn").map(({ message }) => message);
  assert.equal(warnings, ["the check of a group could not be computed"], "further ones are counted");
});

test("messages whose group check fails are offered to the following groups", async () => {
  const groups = [{ check: failOnBad }, { check: () => true }];
  const grouped = await groupBy({ groups }).process(input("bad", "a"), componentContext());
  assert.equal(texts(grouped), [["a"], ["bad"]]);
  assert.is(grouped[1]?.[0]?.failure, undefined);
});

test("a message whose group value fails is flagged, in the group of the empty string", async () => {
  const value = (batch: Batch, index: number) => (failOnBad(batch, index) ? textOf(batch[index]) : "");
  const valued = await groupByValue({ value }).process(input("bad", "a", "other"), componentContext());
  assert.equal(texts(valued), [["bad", "other"], ["a"]]);
  assert.equal(
    valued[0]?.map(({ failure }) => failure?.message),
    ["group value interpolation error: fails", undefined],
  );
});

test("missing indexes are skipped, and repeated ones select twice", async () => {
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
