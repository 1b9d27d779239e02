// The tables of the service. Times are ISO 8601 in UTC, booleans are 0 or 1, lists and records are JSON.

import type { Database } from "../../runtime/store/store.ts";

/** People and programs with keys. Only the SHA-256 digest of a key is stored. */
export interface UserTable {
  id: string;
  org_id: string;
  /** Unique within an organisation. */
  name: string;
  key_hash: string;
  permissions: string;
  /** The grants for single APIs: `[{ api, by, permissions }]`. */
  apis: string;
  created_at: string;
}

/** The current APIs. Their definitions are in the newest version. */
export interface ApiTable {
  id: string;
  org_id: string;
  /** The id of the record for clients, in addition to the id of the API. */
  store_id: string;
  name: string;
  listen_path: string;
  /** Whether the API is served. */
  active: 0 | 1;
  format: "json" | "yaml";
  /** The newest version, which is the one that is served. */
  version: number;
  digest: string;
  created_at: string;
  updated_at: string;
  /** The streams that an operator stopped. */
  stopped: string;
  /** The number of restarts by an operator, per stream. */
  restarts: string;
}

/** Every definition that was ever accepted, as it was sent. */
export interface VersionTable {
  api_id: string;
  /** Counted from 1, and continued if an API is deleted and created again. */
  version: number;
  org_id: string;
  format: "json" | "yaml";
  definition: string;
  /** The hexadecimal SHA-256 digest of the definition. */
  digest: string;
  created_at: string;
  created_by: string;
  /** The values that the API's row had with this definition. */
  store_id: string;
  name: string;
  listen_path: string;
  active: 0 | 1;
}

/** The audit log. */
export interface AuditTable {
  /** The number of the change, in ascending order. */
  number: number;
  org_id: string;
  at: string;
  /** The name of the key. */
  actor: string;
  /** The id of the user, because names can be reused. */
  actor_id: string | null;
  /** The operation, such as `createStreamApi`. */
  action: string;
  /** The id of the changed API or user, or the number of the deployment. */
  object: string;
  /** The stream, if the change concerns a stream of the API. */
  detail: string | null;
  /** The hexadecimal SHA-256 digests of the definition. */
  before_digest: string | null;
  after_digest: string | null;
}

/** Compiled artifacts, by the hash of everything that they were compiled from. */
export interface ArtifactTable {
  source: string;
  artifact: string;
  module: string;
  used_at: string;
}

/** Modules, by the hexadecimal SHA-256 digest of their bytes. */
export interface BlobTable {
  digest: string;
  code: string;
}

/** Deployments. */
export interface DeploymentTable {
  number: number;
  /** The revision of the definitions. */
  revision: number;
  /** Identifies everything else that it was compiled with: settings, compiler, runtime. */
  basis: string;
  manifest: string;
  /** The hexadecimal SHA-256 digest of the manifest. */
  digest: string;
  /** The signature of the manifest, in base64. */
  signature: string | null;
  /** The definitions: `[{ id, version }]`. */
  definitions: string;
  /** The APIs that could not be compiled: `[{ id, message }]`. */
  failures: string;
  created_at: string;
  /** Milliseconds from the last change that it contains until it was stored. */
  waited: number;
  /** Milliseconds that compiling took. */
  compiled: number;
  /** The number of newly compiled APIs. */
  compiled_apis: number;
}

/** The modules of each deployment. */
export interface DeploymentBlobTable {
  number: number;
  digest: string;
}

/** Gateways and their latest reports. */
export interface GatewayTable {
  id: string;
  deployment: number;
  report: string;
  seen_at: string;
}

/** The outcome of each deployment at each gateway, and the time of its first report. */
export interface OutcomeTable {
  number: number;
  gateway: string;
  outcomes: string;
  reported_at: string;
}

/** Sessions of people who signed in with OpenID Connect. */
export interface UserSessionTable {
  token_hash: string;
  /** The hash of the state that the sign-in started with, which can start only one session. */
  state_hash: string;
  /** The hash of the settings that determine the permissions: other settings end the session. */
  rules_hash: string;
  org_id: string;
  permissions: string;
  /** Like those of users. */
  apis: string;
  /** A name for people, and for the audit log. */
  name: string;
  /** The issuer and the subject of the person. */
  subject: string;
  /** The provider's id of its own session. */
  provider_session: string | null;
  /** Identifies the session to the provider when it ends. */
  id_token: string;
  expires: string;
}

/** The number of changes per topic. */
export interface ChangeCountTable {
  topic: ChangeTopic;
  revision: number;
  changed_at: string;
}

/** The topics by which changes are counted. */
export type ChangeTopic = "definitions" | "audit";

/** All tables by name. */
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
  management_revisions: ChangeCountTable;
  management_sessions: UserSessionTable;
}

/** The open store of the service. */
export type ManagementStore = Database<ManagementTables>;
