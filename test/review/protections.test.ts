import { test } from "uvu";
import { expectNoFindings } from "./campaign.ts";
import { protectionsCampaign } from "./protections.ts";

test("protections that documents declare are enforced", () => expectNoFindings(protectionsCampaign, [1, 2]));

test.run();
