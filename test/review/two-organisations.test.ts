import { test } from "uvu";
import { expectNoFindings } from "./campaign.ts";
import { twoOrganisations } from "./two-organisations/campaign.ts";

test("two organisations neither see nor change anything of each other", async () => {
  await expectNoFindings(twoOrganisations, [21, 501]);
});

test.run();
