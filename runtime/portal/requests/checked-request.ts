// Reads what a request asks for and the configuration that applies to it.

import type { CredentialKind } from "../../keys/accepted-credentials.ts";
import type { StoreConnection } from "../../store/store.ts";
import { type CatalogueEntry, entriesFor } from "../documents/catalogue-entries.ts";
import { readCatalogue, readConfiguration } from "../documents/documents.ts";
import type { Configuration } from "../generated/configuration.ts";
import type { KeyRequest } from "../generated/key-request.ts";
import { policiesOf } from "./request-names.ts";

/** A request with its policies, its kind of credential and the configuration that applies to it. */
export interface CheckedRequest {
  readonly request: KeyRequest;
  /** Unique policy ids. */
  readonly policies: readonly string[];
  readonly kind: CredentialKind;
  readonly configuration: Configuration;
}

/** Reads the data that belongs to a request. The catalogue entry may override the configuration of the organisation. */
export async function readCheckedRequest(
  connection: StoreConnection,
  organisation: string,
  request: KeyRequest,
): Promise<CheckedRequest> {
  const policies = policiesOf(request);
  const catalogue = await readCatalogue(connection, organisation);
  const [entry] = entriesFor(catalogue, policies, request.version);
  const configuration =
    entry?.config?.override === true ? entry.config : await readConfiguration(connection, organisation);
  return { request, policies, kind: kindOf(request, entry), configuration };
}

function kindOf({ oauth_info: oauth }: KeyRequest, entry: CatalogueEntry | undefined): CredentialKind {
  if (entry?.auth_type === "oauth" || (entry?.auth_type === undefined && oauth !== undefined)) return "oauth";
  const kind = entry?.auth_type;
  return kind === "basic" || kind === "jwt" || kind === "hmac" || kind === "mutualTLS" ? kind : "token";
}
