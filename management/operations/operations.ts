import type { ManagedOperation } from "../operation.ts";
import { auditOperations } from "./audit.ts";
import { gatewayOperations } from "./gateways.ts";
import { publishingOperations } from "./publishing.ts";
import { schemaOperations } from "./schemas.ts";
import { streamApiViews } from "./stream-api-views.ts";
import { streamApiOperations } from "./stream-apis.ts";
import { streamOperations } from "./streams.ts";
import { tailOperations } from "./tails.ts";
import { userOperations } from "./users.ts";

/** All operations of the service, from one file per resource. */
export const operations: readonly ManagedOperation[] = [
  ...streamApiOperations,
  ...streamApiViews,
  ...publishingOperations,
  ...schemaOperations,
  ...streamOperations,
  ...tailOperations,
  ...gatewayOperations,
  ...userOperations,
  ...auditOperations,
];
