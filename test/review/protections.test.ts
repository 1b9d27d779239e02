import { test } from "uvu";
import { expectNoFindings } from "./campaign.ts";
import { protectionsCampaign } from "./protections.ts";

test("what documents declare is enforced", () => expectNoFindings(protectionsCampaign, [1, 2]));

test.run();
