import { test } from "uvu";
import { expectNoFindings } from "./campaign.ts";
import { brokerHeaders } from "./headers/broker-campaign.ts";

test("metadata become broker headers only if they arrived as headers", () =>
  expectNoFindings(brokerHeaders, [1]));

test.run();
