import { test } from "uvu";
import { buildsStart } from "./builds-start/campaign.ts";
import { expectNoFindings } from "./campaign.ts";

test("a set of documents that builds starts", () => expectNoFindings(buildsStart(40), [14]));

test.run();
