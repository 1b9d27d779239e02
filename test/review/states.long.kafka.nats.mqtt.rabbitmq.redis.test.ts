import { test } from "uvu";
import { expectNoFindings } from "./campaign.ts";
import { states } from "./states/campaign.ts";

test("a stream of each connector recovers from faults in any order", () =>
  expectNoFindings(states, [10, 11, 12, 13, 14, 15, 16, 17, 18, 19]));

test.run();
