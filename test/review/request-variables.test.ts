import { test } from "uvu";
import { expectNoFindings } from "./campaign.ts";
import { requestVariables } from "./request-variables/campaign.ts";

test("variables of requests arrive in random fields, typed", () =>
  expectNoFindings(requestVariables(6), [14]));

test.run();
