import type { Operation } from "../operation.ts";
import { appOperations } from "./apps.ts";
import { developerKeyOperations } from "./developer-keys.ts";
import { developerOperations } from "./developers.ts";
import { documentOperations } from "./documents.ts";
import { policyOperations } from "./policies.ts";
import { requestOperations } from "./requests.ts";
import { webhookOperations } from "./webhooks.ts";

/** Everything the portal can be asked, a file for each resource. */
export const operations: readonly Operation[] = [
  ...requestOperations,
  ...developerOperations,
  ...developerKeyOperations,
  ...documentOperations,
  ...policyOperations,
  ...appOperations,
  ...webhookOperations,
];
