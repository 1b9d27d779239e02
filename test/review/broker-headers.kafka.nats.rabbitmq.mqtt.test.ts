import { test } from "uvu";
import { expectNoFindings } from "./campaign.ts";
import { brokerHeaders } from "./headers/broker-campaign.ts";

test("metadata reach brokers as headers only where they came as such", () =>
  expectNoFindings(brokerHeaders, [1]));

test.run();
