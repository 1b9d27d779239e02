// The tables of a store. Times are ISO 8601 in UTC, booleans are 0 or 1, records are JSON.

import type { Generated } from "kysely";

/** Records that are only searched by organisation and id. */
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
  /** What is requested, in lower case and shortened: the order by name. */
  name: string;
  /** The address of the developer or the name of the team, in lower case and shortened. */
  owner_name: string;
  /** The name, the policies and the API, in lower case: the text that searches read. */
  words: string;
}

/**
 * Developers and teams. E-mail addresses are in lower case and unique within an organisation, as are SSO keys. Instead
 * of an address, a team has `team:` followed by its name in lower case, which is not a valid address.
 */
export interface DeveloperTable extends RecordTable {
  is_team: Generated<0 | 1>;
  email: string;
  /** `null` if the developer has none. */
  sso_key: string | null;
  date_created: string;
}

/** Members of teams. */
export interface TeamMemberTable {
  team_id: string;
  developer_id: string;
  org_id: string;
  role: "owner" | "member";
}

/** Invitations to teams, by an address in lower case, which need not belong to a developer. */
export interface TeamInvitationTable {
  team_id: string;
  email: string;
  org_id: string;
  role: "owner" | "member";
}

/** Documents of which an organisation has one of each kind. */
export interface OrganisationDocumentTable {
  org_id: string;
  /** `catalogue`, `configuration`, `branding` or `texts`. */
  kind: string;
  id: string;
  record: string;
}

/** Policies. Their names are unique within an organisation. */
export interface PolicyTable extends RecordTable {
  name: string;
}

/** Keys, by the hash of the credential. User names for basic authentication are unique. */
export interface KeyTable {
  key_hash: string;
  org_id: string;
  user_name: string | null;
  record: string;
}

/** OAuth clients, with only a hash of their secret. */
export interface OauthClientTable {
  client_id: string;
  org_id: string;
  policy_id: string;
  record: string;
}

/** Apps of developers and teams. */
export interface AppTable extends RecordTable {
  developer_id: string;
}

/** Subscriptions of apps to events, in the order of their ids. */
export interface SubscriptionTable extends RecordTable {
  app_id: string;
}

/** Webhook deliveries that were given up. */
export interface DeadDeliveryTable extends RecordTable {
  subscription_id: string;
  date_created: string;
}

/** Events that enabled subscriptions want. */
export interface WantedEventTable {
  subscription_id: string;
  org_id: string;
  event: string;
}

/** Events with pending deliveries. */
export interface WebhookEventTable {
  id: string;
  event: string;
  date_created: string;
  /** JSON: headers by name, including `content-type`. */
  headers: string;
  /** The encrypted secret of the event itself, which signs in addition to that of each subscription. */
  secret: string | null;
  /** Base64. */
  body: string;
}

/** Pending deliveries of events to subscriptions, in the order of their positions. */
export interface DeliveryTable {
  position: number;
  /** The id that receivers see. */
  id: string;
  subscription_id: string;
  event_id: string;
}

/** The last assigned position, in a single row that every writer has to lock. */
export interface PositionTable {
  name: "deliveries";
  position: number;
}

/** The delivery state of a subscription. Times are milliseconds since 1970, by the clock of the store. */
export interface QueueTable {
  subscription_id: string;
  paused: 0 | 1;
  /** Failed attempts of the first delivery. */
  attempts: number;
  /** Failed attempts since the last success. */
  failures: number;
  last_failure: string | null;
  /** The recent attempts as JSON, the newest first; `null` before the first one. */
  recent: string | null;
  /** The earliest time of the next attempt. */
  due: number;
  /** The current sender, and the time until which it holds the lease. */
  lease_holder: string | null;
  lease_until: number;
}

/** Sessions of developers who logged in at the page, by the hash of the browser's token. */
export interface SessionTable {
  token_hash: string;
  org_id: string;
  developer_id: string;
  /** The developer's value at the login: changing the password ends the session. */
  password_updated: string;
  expires: string;
}

/** E-mails that are queued or were given up. Times are milliseconds since 1970, by the clock of the store. */
export interface MailTable {
  id: string;
  org_id: string;
  kind: string;
  /** The address, in lower case. */
  recipient: string;
  /** The encrypted JSON; empty once the e-mail is given up. */
  letter: string;
  date_created: string;
  /** The time after which the e-mail is given up. */
  expires: number;
  given_up: 0 | 1;
  attempts: number;
  last_failure: string | null;
  /** The earliest time of the next attempt. */
  due: number;
  /** The current sender, and the time until which it holds the lease. */
  lease_holder: string | null;
  lease_until: number;
}

/** Valid links in e-mails, by the hash of their token. */
export interface LinkTable {
  token_hash: string;
  org_id: string;
  /** Invitations are recorded only to count their e-mails: no e-mail contains their token. */
  kind: "sign_up" | "password" | "invitation";
  /** The address that the link was sent to, in lower case. */
  email: string;
  /** JSON. */
  record: string;
  /** ISO 8601. */
  expires: string;
}

/** Sessions of people who signed in with OpenID Connect. */
export interface SignOnTable {
  token_hash: string;
  /** The hash of the state that the sign-in started with, which can start only one session. */
  state_hash: string;
  /** The hash of the settings that determine the role: other settings end the session. */
  rules_hash: string;
  org_id: string;
  role: "administrator" | "developer";
  /** A name for people. */
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
export interface RevisionTable {
  topic: string;
  revision: number;
}

/** Changes made through the portal. */
export interface PortalAuditTable {
  id: string;
  org_id: string;
  date_created: string;
  /** The id of a developer; for administrators, `token 1` or the issuer and the subject of their sign-in. */
  actor: string;
  /** The name of an administrator who signed in; `null` for all others. */
  actor_name: string | null;
  /** The operation, such as `approveRequest`. */
  action: string;
  /** The path of the changed object. */
  object: string;
}

/** Completed migrations. */
export interface MigrationTable {
  name: string;
}

/** All tables by name. */
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

/** The topics by which changes are counted. */
export type ChangeTopic = "catalogue" | "keys" | "policies" | "oauth_clients" | "webhook_subscriptions";
