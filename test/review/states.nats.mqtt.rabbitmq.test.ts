import { test } from "uvu";
import { expectNoFindings } from "./campaign.ts";
import { states } from "./states.ts";

test("a stream of each connector runs again after faults in any order", () =>
  expectNoFindings(states, [10, 11, 12, 13, 14]));

test.run();
