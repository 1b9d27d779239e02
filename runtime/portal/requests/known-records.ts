// What requests hang on: developers, the catalogue and the configuration of an organisation, as they are stored.

import type { Connection } from "../../store/store.ts";

/** An OAuth client as developers have it: of its secret there is nothing. */
export interface ClientOfDeveloper {
  readonly client_id: string;
  readonly secret: "";
  readonly redirect_uri: string;
  readonly app_description: string;
  readonly use_case: string;
  readonly date_created: string;
}

/** What of a developer requests are about; the record has more, which is kept as it is. */
export interface DeveloperRecord {
  readonly [field: string]: unknown;
  /** Policies by the id of the key that has them. */
  readonly keys?: Readonly<Record<string, readonly string[]>>;
  /** Ids of keys by policy. */
  readonly subscriptions?: Readonly<Record<string, string>>;
  /** OAuth clients by policy. */
  readonly oauth_clients?: Readonly<Record<string, readonly ClientOfDeveloper[]>>;
}

/** What of the configuration, or of that of a catalogue entry, requests are about. */
export interface PortalConfiguration {
  readonly require_key_approval?: boolean;
  readonly enable_multi_selection?: boolean;
  readonly oauth_usage_limit?: number;
  /** On an entry: whether its configuration takes the place of the organisation's. */
  readonly override?: boolean;
}

/** What of a catalogue entry requests are about. */
export interface CatalogueEntry {
  readonly [field: string]: unknown;
  readonly policy_id?: string;
  readonly api_id?: string;
  readonly version?: string;
  /** Events that apps may subscribe to. */
  readonly webhooks?: { readonly enabled?: boolean; readonly events?: readonly string[] };
  readonly auth_type?: string;
  readonly config?: PortalConfiguration;
}

/** Developers of an organisation by id; those that are not there are left out. */
export async function findDevelopers(
  connection: Connection,
  organisation: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, DeveloperRecord>> {
  if (ids.length === 0) return new Map();
  const rows = await connection
    .selectFrom("portal_developers")
    .select(["id", "record"])
    .where("org_id", "=", organisation)
    .where("id", "in", [...new Set(ids)])
    .execute();
  return new Map(rows.map(({ id, record }) => [id, JSON.parse(record)]));
}

/** The entries of an organisation's catalogue. */
export async function readCatalogue(
  connection: Connection,
  organisation: string,
): Promise<readonly CatalogueEntry[]> {
  const record: { readonly apis?: readonly CatalogueEntry[] } = await readDocument(
    connection,
    organisation,
    "catalogue",
  );
  return record.apis ?? [];
}

/** The configuration of an organisation's portal; empty where nobody wrote one. */
export function readConfiguration(
  connection: Connection,
  organisation: string,
): Promise<PortalConfiguration> {
  return readDocument(connection, organisation, "configuration");
}

async function readDocument(connection: Connection, organisation: string, kind: string): Promise<object> {
  const row = await connection
    .selectFrom("portal_documents")
    .select("record")
    .where("org_id", "=", organisation)
    .where("kind", "=", kind)
    .executeTakeFirst();
  return row === undefined ? {} : JSON.parse(row.record);
}

/** A developer as others see one: without the password and those before it. */
export function withoutPasswords({ password: _, ...developer }: DeveloperRecord): DeveloperRecord {
  return "PWHistory" in developer ? { ...developer, PWHistory: [] } : developer;
}

/** The entries for these policies, those of the version asked for first. */
export function entriesFor(
  catalogue: readonly CatalogueEntry[],
  policies: readonly string[],
  version: string | undefined,
): readonly CatalogueEntry[] {
  const found = catalogue.filter(({ policy_id: id }) => id !== undefined && policies.includes(id));
  const isFitting = (entry: CatalogueEntry) => entry.version === version;
  return [...found.filter(isFitting), ...found.filter((entry) => !isFitting(entry))];
}
