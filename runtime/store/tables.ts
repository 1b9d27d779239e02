// The tables of a store. Times are ISO 8601 in UTC, truth is 0 or 1, records are JSON.

import type { Generated } from "kysely";

/** Records of the kinds that only their organisation and their id are searched by. */
export interface RecordTable {
  id: string;
  org_id: string;
  record: string;
}

/** Requests for access. */
export interface RequestTable extends RecordTable {
  by_user: string;
  approved: 0 | 1;
  date_created: string;
}

/**
 * Developers and teams. E-mail addresses are in lower case and unique within an organisation, as SSO keys are; in place of
 * one a team has `team:` and its name in lower case, which is not an address.
 */
export interface DeveloperTable extends RecordTable {
  is_team: Generated<0 | 1>;
  email: string;
  /** `null` where the developer has none. */
  sso_key: string | null;
  date_created: string;
}

/** Developers in teams. */
export interface TeamMemberTable {
  team_id: string;
  developer_id: string;
  org_id: string;
  role: "owner" | "member";
}

/** Who has been invited to a team, by an address in lower case that need not be a developer's. */
export interface TeamInvitationTable {
  team_id: string;
  email: string;
  org_id: string;
  role: "owner" | "member";
}

/** Documents of which an organisation has one of each kind. */
export interface OrganisationDocumentTable {
  org_id: string;
  /** `catalogue`, `configuration` */
  kind: string;
  id: string;
  record: string;
}

/** Policies; names are unique within an organisation. */
export interface PolicyTable extends RecordTable {
  name: string;
}

/** Keys, by the hash of the credential; user names of basic authentication are unique. */
export interface KeyTable {
  key_hash: string;
  org_id: string;
  user_name: string | null;
  record: string;
}

/** OAuth clients; of their secret only a hash is kept. */
export interface OauthClientTable {
  client_id: string;
  org_id: string;
  policy_id: string;
  record: string;
}

/** Apps of developers. */
export interface AppTable extends RecordTable {
  developer_id: string;
}

/** Subscriptions of apps to events, in the order of their ids. */
export interface SubscriptionTable extends RecordTable {
  app_id: string;
}

/** Deliveries of webhooks that were given up. */
export interface DeadDeliveryTable extends RecordTable {
  subscription_id: string;
  date_created: string;
}

/** Events that subscriptions want which are not switched off. */
export interface WantedEventTable {
  subscription_id: string;
  org_id: string;
  event: string;
}

/** Events that are still to be delivered. */
export interface WebhookEventTable {
  id: string;
  event: string;
  date_created: string;
  /** JSON: headers by name, that of the content's type among them. */
  headers: string;
  /** A secret of the event's own, sealed; it signs beside that of each subscription. */
  secret: string | null;
  /** Base64. */
  body: string;
}

/** Which event goes to which subscription; lower positions go first. */
export interface DeliveryTable {
  position: number;
  /** What receivers know it by. */
  id: string;
  subscription_id: string;
  event_id: string;
}

/** The last position that was given away, in one row that all who give some have to wait for. */
export interface PositionTable {
  name: "deliveries";
  position: number;
}

/** How the deliveries of a subscription stand. Times are milliseconds since 1970, by the clock of the store. */
export interface QueueTable {
  subscription_id: string;
  paused: 0 | 1;
  /** Failed attempts of its first delivery. */
  attempts: number;
  /** Failed attempts since the last that did not. */
  failures: number;
  last_failure: string | null;
  /** Its last attempts as JSON, the newest first; `null` before the first. */
  recent: string | null;
  /** Before this nothing is sent. */
  due: number;
  /** Who sends now, until that time at most. */
  lease_holder: string | null;
  lease_until: number;
}

/** Developers who have logged in at the page, by the hash of what their browser keeps. */
export interface SessionTable {
  token_hash: string;
  org_id: string;
  developer_id: string;
  /** As the developer had it then: another password ends the session. */
  password_updated: string;
  expires: string;
}

/** E-mails that wait to be sent, or were given up. Times are milliseconds since 1970, by the clock of the store. */
export interface MailTable {
  id: string;
  org_id: string;
  kind: string;
  /** Address, in lower case. */
  recipient: string;
  /** JSON, sealed; empty once it was given up. */
  letter: string;
  date_created: string;
  /** It is given up when this is over. */
  expires: number;
  given_up: 0 | 1;
  attempts: number;
  last_failure: string | null;
  /** Before this it is not sent. */
  due: number;
  /** Who sends it now, until that time at most. */
  lease_holder: string | null;
  lease_until: number;
}

/** Links in e-mails that are still good, by the hash of their token. */
export interface LinkTable {
  token_hash: string;
  org_id: string;
  /** Of an invitation nothing but the e-mail is counted: its token is in none. */
  kind: "sign_up" | "password" | "invitation";
  /** Address that it was sent to, in lower case. */
  email: string;
  /** JSON. */
  record: string;
  /** ISO 8601. */
  expires: string;
}

/** People who signed in by OpenID Connect. */
export interface SignOnTable {
  token_hash: string;
  /** Of the state that the sign-in began with, which is good for one session. */
  state_hash: string;
  /** Of the settings that the role follows from: others end the session. */
  rules_hash: string;
  org_id: string;
  role: "administrator" | "developer";
  /** For people. */
  name: string;
  /** What the provider calls the person, with the provider. */
  subject: string;
  /** What the provider calls its own session. */
  provider_session: string | null;
  /** Tells the provider which session to end. */
  id_token: string;
  expires: string;
}

/** How often the records of a topic have changed. */
export interface RevisionTable {
  topic: string;
  revision: number;
}

/** What was changed through the portal. */
export interface PortalAuditTable {
  id: string;
  org_id: string;
  date_created: string;
  /** The id of a developer; of administrators `token 1`, or the issuer and the subject of one who has signed in. */
  actor: string;
  /** What an administrator who has signed in is called; null for all others. */
  actor_name: string | null;
  /** The operation: `approveRequest`. */
  action: string;
  /** What it was asked of, as a path. */
  object: string;
}

/** Migrations that were run. */
export interface MigrationTable {
  name: string;
}

/** All tables by their name. */
export interface Tables {
  portal_requests: RequestTable;
  portal_developers: DeveloperTable;
  portal_team_members: TeamMemberTable;
  portal_team_invitations: TeamInvitationTable;
  portal_documents: OrganisationDocumentTable;
  portal_documentation: RecordTable;
  portal_apps: AppTable;
  policies: PolicyTable;
  keys: KeyTable;
  oauth_clients: OauthClientTable;
  webhook_subscriptions: SubscriptionTable;
  webhook_dead_deliveries: DeadDeliveryTable;
  webhook_wanted_events: WantedEventTable;
  webhook_events: WebhookEventTable;
  webhook_deliveries: DeliveryTable;
  webhook_positions: PositionTable;
  webhook_queues: QueueTable;
  portal_sessions: SessionTable;
  portal_mails: MailTable;
  portal_links: LinkTable;
  portal_sign_ons: SignOnTable;
  portal_audit: PortalAuditTable;
  revisions: RevisionTable;
  migrations: MigrationTable;
}

/** What changes are counted by. */
export type ChangeTopic = "keys" | "policies" | "oauth_clients" | "webhook_subscriptions";
