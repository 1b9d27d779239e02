import { test } from "uvu";
import * as assert from "uvu/assert";
import { expectNoFindings } from "./campaign.ts";
import { print, secrets, showAll } from "./secrets/campaign.ts";
import { markedSets, marker } from "./secrets/documents.ts";

test("no diagnostic of a broken document shows a secret", () => expectNoFindings(secrets, [15, 16]));

for (const set of markedSets()) {
  test(`no diagnostic of the secrets of ${set.name} shows them`, async () => {
    const shown = await showAll(print(set, "block"));
    assert.match(shown, "GW40");
    assert.not.ok(shown.includes(marker), shown);
  });
}

test.run();
