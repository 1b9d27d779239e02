import { test } from "uvu";
import * as assert from "uvu/assert";
import { beginSuggestions, nearest, suggest } from "../../compiler/diagnostics/suggest.ts";

test("thousands of unknown names are not compared with thousands of candidates, until the next check", () => {
  beginSuggestions();
  let compared = 0;
  const candidates = function* () {
    for (let index = 0; index < 20_000; index++) {
      compared++;
      yield "a name of another length";
    }
  };
  for (let index = 0; index < 20_000; index++) suggest("name", candidates());
  const before = compared;
  nearest("name", candidates());
  assert.ok(before >= 1_000_000 && compared < before + 2, `${before}, ${compared} comparisons`);
  assert.ok(before < 6_000_000, `${before} comparisons`);
  assert.is(suggest("oder", ["order"]), undefined);
  beginSuggestions();
  assert.is(suggest("oder", ["order"]), "order");
});

test.run();
