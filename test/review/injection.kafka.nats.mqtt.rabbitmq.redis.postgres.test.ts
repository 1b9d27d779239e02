import { test } from "uvu";
import { expectNoFindings } from "./campaign.ts";
import { injection } from "./injection/campaign.ts";

test("computed values are delivered as they are, or fail their own messages", async () => {
  await expectNoFindings(injection, [1]);
});

test.run();
