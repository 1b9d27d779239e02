import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { findText, overlappingPlaces, splitText } from "../../runtime/text/search.ts";

/** Texts of two letters with many near matches, far longer than those that the engine searches itself. */
const text = fc.stringMatching(/^[ab]{0,400}$/);
const texts = fc
  .tuple(text, text, fc.nat(6))
  .map(([whole, other, times]) => [`${whole}${other.repeat(times)}${whole}`, other] as const);
const parts = fc.oneof(
  texts,
  texts.chain(([whole]) =>
    fc.tuple(fc.nat(whole.length), fc.nat(whole.length)).map(([one, two]) => {
      return [whole, whole.slice(Math.min(one, two), Math.max(one, two))] as const;
    }),
  ),
);

test("texts are found at the same positions as with the engine's functions", () => {
  fc.assert(
    fc.property(parts, ([whole, part]) => {
      assert.is(findText(whole, part), whole.indexOf(part));
      fc.pre(part !== "");
      assert.equal(splitText(whole, part), whole.split(part));
      const places: number[] = [];
      for (let at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + 1)) places.push(at);
      assert.equal([...overlappingPlaces(whole, part)], places);
    }),
    { seed: 7, numRuns: 2000 },
  );
});

test.run();
