import { test } from "uvu";
import { expectNoFindings } from "./campaign.ts";
import { headers } from "./headers/campaign.ts";

test("metadata leave as headers only where they came as such", () => expectNoFindings(headers, [1]));

test.run();
