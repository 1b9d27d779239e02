import { test } from "uvu";
import { expectNoFindings } from "./campaign.ts";
import { whoMayCallShort } from "./who-may-call/campaign.ts";

test(`who may call: ${whoMayCallShort.claim}`, () => expectNoFindings(whoMayCallShort, [1]));

test.run();
