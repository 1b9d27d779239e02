// The operations of the service, as values of the same kind as the portal's: the routes, the validation and the
// description are derived from them.

import type { Logger } from "../runtime/process/log.ts";
import { tagged } from "../runtime/rest/entity-tags.ts";
import {
  type OperationOf,
  type OperationRequest,
  operation,
  type RestOperation,
} from "../runtime/rest/operation.ts";
import type { Permission } from "./access/permissions.ts";
import type { Compiler } from "./compiling/compiler.ts";
import type { Changes } from "./definitions/changes.ts";
import type { DefinitionDeployer } from "./deployments/deployer.ts";
import type { Tenants } from "./organisations/tenants.ts";
import type { ServiceSettings } from "./settings.ts";
import type { ManagementStore } from "./store/tables.ts";
import type { Tails } from "./streams/tails.ts";

/** The dependencies of operations. */
export interface ManagementServices {
  readonly log: Logger;
  readonly store: ManagementStore;
  readonly settings: ServiceSettings;
  /** Changes definitions. */
  readonly changes: Changes;
  readonly deployer: DefinitionDeployer;
  readonly compiler: Compiler;
  readonly tenants: Tenants;
  /** The streams whose messages are being watched. */
  readonly tails: Tails;
}

/** The description of an operation, with additional fields to those of the portal. */
export interface ManagedOperationOf<B> extends OperationOf<B, ManagementServices> {
  /** The permission that the key needs. */
  readonly permission: Permission;
  /**
   * Whether the operation is about single APIs: a grant for some of them is enough, and the operation itself checks the
   * caller's rights to each (`access/rights.ts`). Other operations require the permission for the whole organisation.
   */
  readonly isPerApi?: boolean;
  /** Whether the operation is about streaming APIs: it does not exist if those are switched off. */
  readonly isStreaming?: boolean;
  /** Whether the operation is about the installation: only keys of its organisation may use it. */
  readonly isOfInstallation?: boolean;
}

/** An operation with any body. */
export interface ManagedOperation {
  readonly operation: RestOperation<ManagementServices>;
  readonly permission: Permission;
  readonly isPerApi: boolean;
  readonly isStreaming: boolean;
  readonly isOfInstallation: boolean;
}

/** Creates an operation. Responses to GET have an `ETag`, and clients that already have the response get 304. */
export function managed<B>(description: ManagedOperationOf<B>): ManagedOperation {
  const {
    permission,
    isPerApi = false,
    isStreaming = false,
    isOfInstallation = false,
    ...rest
  } = description;
  const { run } = rest;
  const answered =
    rest.method === "GET"
      ? async (request: OperationRequest<B>, services: ManagementServices) =>
          tagged(request, await run(request, services))
      : run;
  return {
    operation: operation<B, ManagementServices>({ ...rest, isTagged: rest.method === "GET", run: answered }),
    permission,
    isPerApi,
    isStreaming,
    isOfInstallation,
  };
}
