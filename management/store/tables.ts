// The tables of the service. Times are ISO 8601 in UTC, truth is 0 or 1, lists and records are JSON.

import type { Database } from "../../runtime/store/store.ts";

/** People and programs that have keys; of a key only its SHA-256 is kept. */
export interface UserTable {
  id: string;
  org_id: string;
  /** Unique within an organisation. */
  name: string;
  key_hash: string;
  permissions: string;
  /** What it may do with some APIs: `[{ api, by, permissions }]`. */
  apis: string;
  created_at: string;
}

/** APIs as they are now; what their definitions say is in the newest version. */
export interface ApiTable {
  id: string;
  org_id: string;
  /** What clients know the record by, beside the id of the API. */
  store_id: string;
  name: string;
  listen_path: string;
  /** Whether it is served at all. */
  active: 0 | 1;
  format: "json" | "yaml";
  /** Of the newest version, which is the one that is served. */
  version: number;
  digest: string;
  created_at: string;
  updated_at: string;
  /** Streams that an operator stopped. */
  stopped: string;
  /** By stream, how often an operator restarted it. */
  restarts: string;
}

/** Every definition that was ever taken, as it was sent. */
export interface VersionTable {
  api_id: string;
  /** From 1, also over the deletion of an API. */
  version: number;
  org_id: string;
  format: "json" | "yaml";
  definition: string;
  /** Hex SHA-256 of the definition. */
  digest: string;
  created_at: string;
  created_by: string;
  /** What it says of the API, as the API's row has it. */
  store_id: string;
  name: string;
  listen_path: string;
  active: 0 | 1;
}

/** Who changed what. */
export interface AuditTable {
  /** Counts up with each change. */
  number: number;
  org_id: string;
  at: string;
  /** The name of the key. */
  actor: string;
  /** The user whose key it was; names can be given to another. */
  actor_id: string | null;
  /** The operation: `createStreamApi`. */
  action: string;
  /** What was changed: the id of an API, of a user, a deployment. */
  object: string;
  /** A stream of it, where that is what was changed. */
  detail: string | null;
  /** Hex SHA-256 of the definition. */
  before_digest: string | null;
  after_digest: string | null;
}

/** What was compiled, by what it was compiled from. */
export interface ArtifactTable {
  source: string;
  artifact: string;
  module: string;
  used_at: string;
}

/** Modules by the hex SHA-256 of their bytes. */
export interface BlobTable {
  digest: string;
  code: string;
}

/** What gateways were given to run. */
export interface DeploymentTable {
  number: number;
  /** Of the definitions that it was made of. */
  revision: number;
  /** What else it was compiled with: settings, compiler, runtime. */
  basis: string;
  manifest: string;
  /** Hex SHA-256 of the manifest. */
  digest: string;
  /** Base64 of the signature of the manifest. */
  signature: string | null;
  /** Which definitions: `[{ id, version }]`. */
  definitions: string;
  /** What could not be compiled: `[{ id, message }]`. */
  failures: string;
  created_at: string;
  /** Milliseconds from the first change that it holds to its storing. */
  waited: number;
  /** Milliseconds of them that compiling took. */
  compiled: number;
  /** How many APIs were compiled anew. */
  compiled_apis: number;
}

/** Which modules a deployment needs. */
export interface DeploymentBlobTable {
  number: number;
  digest: string;
}

/** Gateways and what they last reported. */
export interface GatewayTable {
  id: string;
  deployment: number;
  report: string;
  seen_at: string;
}

/** When each deployment had come into effect at a gateway, or had not. */
export interface OutcomeTable {
  number: number;
  gateway: string;
  outcomes: string;
  reported_at: string;
}

/** People who signed in by OpenID Connect. */
export interface SessionTable {
  token_hash: string;
  /** Of the state that the sign-in began with, which is good for one session. */
  state_hash: string;
  /** Of the settings that the permissions follow from: others end the session. */
  rules_hash: string;
  org_id: string;
  permissions: string;
  /** As that of users. */
  apis: string;
  /** For people, and the audit log. */
  name: string;
  /** What the provider calls the person, with the provider. */
  subject: string;
  /** What the provider calls its own session. */
  provider_session: string | null;
  /** Tells the provider which session to end. */
  id_token: string;
  expires: string;
}

/** How often records of a topic have changed. */
export interface RevisionTable {
  topic: Topic;
  revision: number;
  changed_at: string;
}

/** What changes are counted by. */
export type Topic = "definitions" | "audit";

/** All tables by their name. */
export interface ManagementTables {
  management_users: UserTable;
  management_apis: ApiTable;
  management_versions: VersionTable;
  management_audit: AuditTable;
  management_artifacts: ArtifactTable;
  management_blobs: BlobTable;
  management_deployments: DeploymentTable;
  management_deployment_blobs: DeploymentBlobTable;
  management_gateways: GatewayTable;
  management_outcomes: OutcomeTable;
  management_revisions: RevisionTable;
  management_sessions: SessionTable;
}

/** The open store of the service. */
export type ManagementStore = Database<ManagementTables>;
