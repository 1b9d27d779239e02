// What the service can be asked, as values of the portal's kind: the router, the validation and the description are made
// of them.

import type { Logger } from "../runtime/process/log.ts";
import { RestAnswer } from "../runtime/rest/answers.ts";
import {
  type OperationOf,
  type OperationRequest,
  operation,
  type RestOperation,
} from "../runtime/rest/operation.ts";
import type { Permission } from "./access/permissions.ts";
import type { Compiler } from "./compiling/compiler.ts";
import type { Changes } from "./definitions/changes.ts";
import type { Deployer } from "./deployments/deployer.ts";
import { matches, tagOf } from "./entity-tags.ts";
import type { Tenants } from "./organisations/tenants.ts";
import type { ServiceSettings } from "./settings.ts";
import type { ManagementStore } from "./store/tables.ts";
import type { Tails } from "./streams/tails.ts";

/** What operations work with. */
export interface Services {
  readonly log: Logger;
  readonly store: ManagementStore;
  readonly settings: ServiceSettings;
  /** Changes of definitions. */
  readonly changes: Changes;
  readonly deployer: Deployer;
  readonly compiler: Compiler;
  readonly tenants: Tenants;
  /** Who looks at which stream. */
  readonly tails: Tails;
}

/** What is said of an operation beside what the portal's say. */
export interface ManagedOperationOf<B> extends OperationOf<B, Services> {
  /** What the key needs. */
  readonly permission: Permission;
  /**
   * About single APIs: a grant for some of them is enough to ask, and it looks itself at what the caller may do with each
   * (`access/rights.ts`). Other operations need the permission for all of the organisation.
   */
  readonly isPerApi?: boolean;
  /** About streaming APIs: it is not there where those are switched off. */
  readonly isStreaming?: boolean;
  /** About the installation, and so only for keys of its organisation. */
  readonly isOfInstallation?: boolean;
}

/** An operation, whatever its body. */
export interface ManagedOperation {
  readonly operation: RestOperation<Services>;
  readonly permission: Permission;
  readonly isPerApi: boolean;
  readonly isStreaming: boolean;
  readonly isOfInstallation: boolean;
}

/** Makes an operation of what is said of it. Whatever it reads has an `ETag`, and is not sent again to who has it. */
export function managed<B>(description: ManagedOperationOf<B>): ManagedOperation {
  const {
    permission,
    isPerApi = false,
    isStreaming = false,
    isOfInstallation = false,
    ...rest
  } = description;
  const { run } = rest;
  const tagged =
    rest.method === "GET"
      ? async (request: OperationRequest<B>, services: Services) =>
          unlessKnown(request, withTag(await run(request, services)))
      : run;
  return {
    operation: operation<B, Services>({ ...rest, isTagged: rest.method === "GET", run: tagged }),
    permission,
    isPerApi,
    isStreaming,
    isOfInstallation,
  };
}

function withTag(answer: object): RestAnswer {
  const { body, headers, status } = answer instanceof RestAnswer ? answer : new RestAnswer(answer);
  if (headers.etag !== undefined || body === undefined) return new RestAnswer(body, headers, status);
  const isText = typeof body === "string" || body instanceof Uint8Array;
  const etag = tagOf(isText ? body : JSON.stringify(body));
  return new RestAnswer(body, { ...headers, etag }, status);
}

function unlessKnown({ header }: Pick<OperationRequest, "header">, answer: RestAnswer): RestAnswer {
  const { etag = "" } = answer.headers;
  const known = header("if-none-match");
  const isKnown = known !== undefined && answer.status === 200 && matches(known, etag);
  return isKnown ? new RestAnswer(undefined, { etag }, 304) : answer;
}
