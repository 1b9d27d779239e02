import { test } from "uvu";
import { expectNoFindings } from "./campaign.ts";
import { requestVariables } from "./request-variables/campaign.ts";

test("request variables arrive in random fields, with their types", () =>
  expectNoFindings(requestVariables(6), [14]));

test.run();
