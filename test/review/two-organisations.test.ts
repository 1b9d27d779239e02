import { test } from "uvu";
import { expectNoFindings } from "./campaign.ts";
import { twoOrganisations } from "./two-organisations/campaign.ts";

test("two organisations cannot see or change each other's state", async () => {
  await expectNoFindings(twoOrganisations, [501]);
});

test.run();
