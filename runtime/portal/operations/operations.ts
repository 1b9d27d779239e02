import type { Operation } from "../operation.ts";
import { policyOperations } from "./policies.ts";
import { requestOperations } from "./requests.ts";

/** Everything the portal can be asked, a file for each resource. */
export const operations: readonly Operation[] = [...requestOperations, ...policyOperations];
