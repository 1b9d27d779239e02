import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Processor } from "../../../runtime/component/component.ts";
import { MappingError } from "../../../runtime/errors.ts";
import { type Batch, Message } from "../../../runtime/message/message.ts";
import { switchCases } from "../../../runtime/processors/switch.ts";
import { componentContext } from "../connectors/contexts.ts";

const test = suite("switch");

const textOf = (message: Message | undefined) => Buffer.from(message?.bytes() ?? []).toString();
const texts = (batches: readonly Batch[]) => batches.map((batch) => batch.map(textOf));
const input = (...contents: string[]) => contents.map((content) => Message.fromText(content));
const startsWith = (prefix: string) => (batch: Batch, index: number) =>
  textOf(batch[index]).startsWith(prefix);

/** Returns a step that appends a suffix to each message, immediately or one turn later, and records its batches. */
function append(suffix: string, later = false): Processor & { readonly seen: string[][] } {
  const seen: string[][] = [];
  const change = (batch: Batch) => {
    seen.push(batch.map(textOf));
    return [batch.map((message) => message.withBytes(Buffer.from(textOf(message) + suffix)))];
  };
  return { seen, process: (batch) => (later ? Promise.resolve(batch).then(change) : change(batch)) };
}

async function run(cases: Parameters<typeof switchCases>[0]["cases"], ...contents: string[]) {
  return switchCases({ cases }).process(input(...contents), componentContext());
}

test("each message goes to the first matching case, the others pass, in their order", async () => {
  const a = append("!", true);
  const results = await run(
    [
      { check: startsWith("a"), processors: [a] },
      { check: startsWith("b"), processors: [append("?")] },
      { check: startsWith("ab"), processors: [append("never")] },
    ],
    ...["b1", "a1", "other", "ab", "b2"],
  );
  assert.equal(texts(results), [["b1?", "a1!", "other", "ab!", "b2?"]]);
  assert.equal(a.seen, [["a1", "ab"]]);
});

test("a case without check takes all remaining messages; one without processors changes nothing", async () => {
  const cases = [{ check: startsWith("a") }, { processors: [append("!")] }];
  assert.equal(texts(await run(cases, "a", "b")), [["a", "b!"]]);
});

test("fallthrough runs the next case without its check, and stops after the last", async () => {
  const never = () => false;
  const cases = [
    { check: startsWith("a"), processors: [append("1")], fallthrough: true },
    { check: never, processors: [append("2")], fallthrough: true },
    { check: startsWith("b"), processors: [append("3")], fallthrough: true },
  ];
  assert.equal(texts(await run(cases, "b", "a", "c")), [["b3", "a123", "c"]]);
});

test("a message whose check fails, or yields no bool, is flagged and skips every case", async () => {
  const cases = [
    {
      check: (batch: Batch, index: number) => {
        if (textOf(batch[index]) === "bad") throw new MappingError("cannot tell");
        return textOf(batch[index]) === "odd" ? "yes" : false;
      },
      processors: [append("!")],
    },
    { processors: [append("?")] },
  ];
  const results = await run(cases, "bad", "good", "odd");
  assert.equal(texts(results), [["bad", "good?", "odd"]]);
  const [failed, , odd] = results.flat();
  assert.is(failed?.failure?.message, "failed assignment (line 1): cannot tell");
  assert.instance(odd?.failure, MappingError);
});

test("dropped and added messages leave the others in order", async () => {
  const dropFirst: Processor = { process: (batch) => [batch.slice(1)] };
  const double: Processor = {
    process: (batch) => batch.map((message) => [message, message.withBytes(Buffer.from("+"))]),
  };
  const cases = [
    { check: startsWith("a"), processors: [dropFirst] },
    { check: startsWith("b"), processors: [double] },
  ];
  assert.equal(texts(await run(cases, "a1", "b1", "a2", "b2", "c")), [["b1", "+", "a2", "b2", "+", "c"]]);
});

test("a nested switch keeps the positions of both", async () => {
  const dropFirst: Processor = { process: (batch) => [batch.slice(1)] };
  const inner = switchCases({ cases: [{ check: startsWith("a"), processors: [dropFirst] }] });
  const cases = [{ check: (_: Batch, index: number) => index % 2 === 1, processors: [inner] }];
  assert.equal(texts(await run(cases, "0", "a1", "2", "b3", "4", "a5")), [["0", "2", "b3", "4", "a5"]]);
});

test("no batch is left when every message is dropped", async () => {
  assert.equal(await run([{ processors: [{ process: () => [] }] }], "a"), []);
});

test("close reaches the processors of all cases", async () => {
  let closed = 0;
  const closing: Processor = {
    process: (batch) => [batch],
    close: async () => {
      closed += 1;
    },
  };
  await switchCases({ cases: [{ processors: [closing] }, {}, { processors: [closing] }] }).close?.();
  assert.is(closed, 2);
});

test.run();
