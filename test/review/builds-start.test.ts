import { test } from "uvu";
import { buildsStart } from "./builds-start/campaign.ts";
import { expectNoFindings } from "./campaign.ts";

test("every set of documents that builds also starts", () => expectNoFindings(buildsStart(40), [14]));

test.run();
