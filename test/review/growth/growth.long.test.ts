import { test } from "uvu";
import { expectNoFindings } from "../campaign.ts";
import { growthCampaign } from "./growth.ts";

test("methods, parsers, documents, compressed and fragmented messages take linear time", async () => {
  await expectNoFindings(growthCampaign({ calls: 1, parsers: 2, uses: 1, expressions: 0, packed: 1 }), [1]);
});

test.run();
