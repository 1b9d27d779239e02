import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { findSlip, isSlip, nearest, quoteAll, suggest } from "../../compiler/diagnostics/suggest.ts";

/** Returns names of one length, such as `n00042`. */
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `n${`${index}`.padStart(5, "0")}`);

test("a misspelt name is found among thousands", () => {
  const names = [...Array.from(numbered(20_000), (name) => `other_${name}`), "shipment_address"];
  assert.is(suggest("shipment_adress", names), "shipment_address");
  assert.is(suggest("hsipment_address", names), "shipment_address");
  assert.is(suggest("shpment_adress", names), "shipment_address");
  assert.is(nearest("shipment_addres", names).closest, "shipment_address");
});

test("a name is compared with a limited number of thousands of candidates", () => {
  let compared = 0;
  const counting = numbered(20_000).map(
    (name) =>
      Object.assign(new String(name), {
        toLowerCase() {
          compared++;
          return name;
        },
      }) as unknown as string,
  );
  assert.is(`${suggest("n20005", counting)}`, "n00005");
  assert.is(compared, 300);
});

test("a list that was searched before gives the same names as a new one", () => {
  const letters = ["a", "b", "ab", "ba", "é", "-", "_", "1"];
  const name = (length: number) =>
    fc.array(fc.constantFrom(...letters), { maxLength: length }).map((parts) => parts.join(""));
  const names = fc.array(name(6), { minLength: 301, maxLength: 340 });
  fc.assert(
    fc.property(names, fc.array(name(7), { minLength: 2, maxLength: 8 }), (all, wrong) => {
      const searched = [...all];
      for (const each of wrong) {
        assert.equal(nearest(each, searched), nearest(each, [...all]));
        assert.is(
          findSlip(each, searched),
          all.find((other) => isSlip(each, other)),
        );
      }
    }),
    { seed: 20, numRuns: 50 },
  );
});

test("a list that grew is searched whole", () => {
  const names = numbered(400);
  for (const wrong of ["shipmnt", "shipmet", "shipent"]) assert.is(suggest(wrong, names), undefined);
  names.push("shipment");
  for (const wrong of ["shipmnt", "shipmet", "shipent"]) assert.is(suggest(wrong, names), "shipment");
});

test("a sentence lists the first of many names", () => {
  assert.is(quoteAll(["a", "b", "c"]), "`a`, `b` and `c`");
  assert.match(quoteAll(numbered(32)), /`n00030` and `n00031`$/);
  assert.match(quoteAll(numbered(1000)), /`n00030` and 969 more$/);
});

test.run();
