import { test } from "uvu";
import { expectNoFindings } from "./campaign.ts";
import { whoMayCallShort } from "./who-may-call/campaign.ts";

test(`access control: ${whoMayCallShort.claim}`, () => expectNoFindings(whoMayCallShort, [1]));

test.run();
