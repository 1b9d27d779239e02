import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { memoised } from "../../runtime/text/memo.ts";

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

test.run();
