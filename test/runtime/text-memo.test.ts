import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { memoised } from "../../runtime/text/memo.ts";
import { collectedHeap } from "../harness/heap.ts";

test("a memoised function returns what the function returns", () => {
  const length = (text: string) => ({ length: text.length });
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 200 }), (texts) => {
      const remembered = memoised(8, length);
      for (const text of texts) assert.equal(remembered(text), length(text));
    }),
    { seed: 1 },
  );
});

test("the latest results are computed once", () => {
  const asked: string[] = [];
  const remembered = memoised(8, (text) => asked.push(text));
  for (const text of ["a", "b", "a", "b", "a"]) remembered(text);
  assert.equal(asked, ["a", "b"]);
});

test("long texts are not remembered", () => {
  let count = 0;
  const remembered = memoised(8, () => {
    count += 1;
    return count;
  });
  remembered("x".repeat(1000));
  remembered("x".repeat(1000));
  assert.is(count, 2);
});

test("parts of large texts do not keep these in memory", async () => {
  const remembered = memoised(64, (text) => text.split("/"));
  const rest = "x".repeat(400_000);
  const before = await collectedHeap();
  for (let index = 0; index < 64; index += 1) {
    const path = `/path/number/${index}`;
    remembered(
      Buffer.from(path + rest)
        .toString("latin1")
        .slice(0, path.length),
    );
  }
  assert.ok((await collectedHeap()) < before + 5);
  assert.equal(remembered("/path/number/63"), ["", "path", "number", "63"]);
});

test("texts of any characters are remembered as they are", () => {
  for (const text of ["\u00e9", "\ud83d\ude00", "\ud800", "\u0000", '"\\', "__proto__"]) {
    const asked: string[] = [];
    const remembered = memoised(8, (given) => asked.push(given));
    for (const padded of [text, text.padEnd(20), text, text.padEnd(20)]) remembered(padded);
    assert.equal(asked, [text, text.padEnd(20)]);
  }
});

test.run();
