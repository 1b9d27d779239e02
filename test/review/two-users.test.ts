import { test } from "uvu";
import { expectNoFindings } from "./campaign.ts";
import { twoUsers } from "./two-users.ts";

test("two users with different APIs neither see nor change anything of each other", async () => {
  await expectNoFindings(twoUsers, [3, 71]);
});

test.run();
