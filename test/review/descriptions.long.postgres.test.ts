import { test } from "uvu";
import { expectNoFindings } from "./campaign.ts";
import { awkwardRequests } from "./descriptions.ts";

// `npm run review` makes schemathesis generate the requests, which needs Python; this test does not.
test("awkward requests to the portal and the management service get responses as described", () =>
  expectNoFindings(awkwardRequests, [1]));

test.run();
