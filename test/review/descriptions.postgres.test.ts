import { test } from "uvu";
import { expectNoFindings } from "./campaign.ts";
import { awkwardRequests } from "./descriptions.ts";

// `npm run review` has schemathesis make up the requests; it needs Python, and this does not.
test("awkward requests to the portal and the management service are answered as described", () =>
  expectNoFindings(awkwardRequests, [1]));

test.run();
