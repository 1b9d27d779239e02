import { test } from "uvu";
import * as assert from "uvu/assert";
import { boundSuggestions, nearest, suggest } from "../../compiler/diagnostics/suggest.ts";

test("thousands of unknown names are not compared with thousands of candidates in one check", () => {
  let compared = 0;
  const candidates = function* () {
    for (let index = 0; index < 20_000; index++) {
      compared++;
      yield "a name of another length";
    }
  };
  boundSuggestions(() => {
    for (let index = 0; index < 20_000; index++) suggest("name", candidates());
    const before = compared;
    nearest("name", candidates());
    assert.is(compared, before);
    assert.is(suggest("oder", ["order"]), undefined);
  });
  assert.ok(compared >= 1_000_000 && compared < 6_000_000, `${compared} comparisons`);
});

test("checks at the same time have comparisons of their own", async () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `another name, number ${index}`);
  const exhausted = Promise.withResolvers<void>();
  const large = boundSuggestions(async () => {
    for (let index = 0; index < 1_000; index++) suggest("name", names);
    exhausted.resolve();
    await Promise.resolve();
    return suggest("oder", ["order"]);
  });
  const small = boundSuggestions(async () => {
    await exhausted.promise;
    return suggest("oder", ["order"]);
  });
  assert.equal(await Promise.all([large, small]), [undefined, "order"]);
});

test.run();
