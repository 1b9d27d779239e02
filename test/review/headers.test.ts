import { test } from "uvu";
import { expectNoFindings } from "./campaign.ts";
import { headers } from "./headers/campaign.ts";

test("metadata become HTTP headers only if they arrived as headers", () => expectNoFindings(headers, [1]));

test.run();
