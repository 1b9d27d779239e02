import { test } from "uvu";
import { expectNoFindings } from "./campaign.ts";
import { injection } from "./injection/campaign.ts";

test("computed values are delivered unchanged, or fail only their own messages", async () => {
  await expectNoFindings(injection, [1]);
});

test.run();
