import { test } from "uvu";
import * as assert from "uvu/assert";
import { nearest, suggest } from "../../compiler/diagnostics/suggest.ts";

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

test.run();
