import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Processor } from "../../../runtime/component/component.ts";
import { type Batch, Message } from "../../../runtime/message/message.ts";
import type { ResultMapFunction } from "../../../runtime/processors/functions.ts";
import { workflow } from "../../../runtime/processors/workflow.ts";
import { componentContext } from "../connectors/contexts.ts";

const test = suite("workflow");

const textOf = (message: Message | undefined) => Buffer.from(message?.bytes() ?? []).toString();
/** Appends the text of the branch's message to the original. */
const append: ResultMapFunction = (result, origin, index) =>
  origin[index]?.withBytes(Buffer.from(textOf(origin[index]) + textOf(result[index])));

function becomes(text: string): Processor {
  return { process: (batch) => [batch.map((message) => message.withBytes(Buffer.from(text)))] };
}

async function run(
  options: Parameters<typeof workflow>[0],
  ...contents: string[]
): Promise<readonly string[]> {
  const batch: Batch = contents.map((content) => Message.fromText(content));
  const results = await workflow({ meta_path: "", ...options }).process(batch, componentContext());
  return results
    .flat()
    .map((each) => textOf(each) + (each.failure === undefined ? "" : ` ! ${each.failure.message}`));
}

test("branches of a tier run concurrently, and are merged in the order named", async () => {
  let running = 0;
  let most = 0;
  const slow = (text: string, turns: number): Processor => ({
    async process(batch) {
      most = Math.max(most, ++running);
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
      running--;
      return becomes(text).process(batch, componentContext());
    },
  });
  const branches = {
    a: { processors: [slow("a", 3)], result_map: append },
    b: { processors: [slow("b", 1)], result_map: append },
  };
  assert.equal(await run({ order: [["b", "a"]], branches }, "1", "2"), ["1ba", "2ba"]);
  assert.is(most, 2);
});

test("a result that a branch drops leaves the message unchanged", async () => {
  const dropOne: ResultMapFunction = (result, origin, index) =>
    textOf(origin[index]).startsWith("1") ? undefined : append(result, origin, index);
  const branches = {
    a: { processors: [becomes("a")], result_map: dropOne },
    b: { processors: [becomes("b")], result_map: append },
    c: { processors: [becomes("c")], result_map: append },
  };
  assert.equal(await run({ order: [["a", "b"], ["c"]], branches }, "1", "2"), ["1bc", "2abc"]);
});

test("a branch that changes the number of messages fails for all of them, and the others do not", async () => {
  const branches = {
    a: { processors: [{ process: () => [] }], result_map: append },
    b: { processors: [becomes("b")], result_map: append },
  };
  assert.equal(await run({ order: [["a", "b"]], branches }, "1", "2"), [
    "1b ! workflow branches failed: [a]",
    "2b ! workflow branches failed: [a]",
  ]);
});

test("the record of a document is written at meta_path, and the previous one is kept", async () => {
  const branches = { a: { processors: [becomes("a")] } };
  const order = [["a"]];
  const written = await run(
    { meta_path: "deep.in~1side", order, branches },
    '{"deep":{"in.side":{"failed":{"a":"x"}}}}',
    '{"deep":1}',
    '{"deep":null}',
  );
  assert.equal(written, [
    '{"deep":{"in.side":{"previous":{"failed":{"a":"x"}},"succeeded":["a"]}}}',
    // A value that blocks the path stays, and no record is written.
    '{"deep":1}',
    '{"deep":{"in.side":{"succeeded":["a"]}}}',
  ]);
});

test.run();
