import { test } from "uvu";
import { expectNoFindings } from "./campaign.ts";
import { twoUsers } from "./two-users.ts";

test("two users with different APIs cannot see or change each other's state", async () => {
  await expectNoFindings(twoUsers, [71]);
});

test.run();
