// Teams in the store: owners like developers, except that they cannot log in.

import { notFound, refusal, refuseDuplicate } from "../../rest/answers.ts";
import { type Listed, listed, type Page } from "../../rest/lists.ts";
import { createIdentifier } from "../../store/identifiers.ts";
import type { Store, StoreConnection, StoreTransaction } from "../../store/store.ts";
import { deleteOwner, setCredentialsInactive } from "../developers/credentials-of.ts";
import { isTeam, lockOwner, type TeamRecord, teamText } from "../developers/owner-records.ts";
import type { Team } from "../generated/team.ts";
import { renameOwner } from "../requests/request-names.ts";
import { describePeople } from "./members.ts";

/** Returns a page of an organisation's teams, the oldest first. */
export async function listTeams(
  store: Store,
  organisation: string,
  page: Page | undefined,
): Promise<Listed<Team>> {
  return store.read(async (connection) => {
    const own = connection
      .selectFrom("portal_developers")
      .where("org_id", "=", organisation)
      .where("is_team", "=", 1);
    const { total } = await own
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow();
    const sorted = own.select(["id", "record"]).orderBy("date_created").orderBy("id");
    const rows = await (page === undefined ? sorted : sorted.limit(page.limit).offset(page.offset)).execute();
    return listed(await describePeople(connection, organisation, rows.map(readTeam)), total, page);
  });
}

/** Returns a team; rejects with `notFound` if it does not exist. */
export async function getTeam(store: Store, organisation: string, id: string): Promise<Team> {
  return store.read(async (connection) => {
    const team = await findTeam(connection, organisation, id);
    if (team === undefined) throw notFound();
    const [described] = await describePeople(connection, organisation, [team]);
    return described ?? team;
  });
}

/** Returns the stored team; `undefined` if there is none. */
async function findTeam(
  connection: StoreConnection,
  organisation: string,
  id: string,
): Promise<TeamRecord | undefined> {
  const row = await connection
    .selectFrom("portal_developers")
    .select(["id", "record"])
    .where("id", "=", id)
    .where("org_id", "=", organisation)
    .where("is_team", "=", 1)
    .executeTakeFirst();
  return row && readTeam(row);
}

/** Locks a team as `lockOwner` does; rejects with `notFound` if it does not exist. */
async function lockTeam(connection: StoreTransaction, organisation: string, id: string): Promise<TeamRecord> {
  const owner = await lockOwner(connection, organisation, id);
  if (owner === undefined || !isTeam(owner)) throw notFound();
  return owner;
}

/**
 * Creates a team and returns its id. Calls `also` in the same transaction. Rejects with 400 if the name is not valid,
 * and with 409 if it is taken.
 */
export async function createTeam(
  store: Store,
  organisation: string,
  body: Team,
  also: (connection: StoreTransaction, id: string) => Promise<void> = async () => {},
): Promise<string> {
  const id = createIdentifier();
  const created = new Date().toISOString();
  const team: TeamRecord = {
    ...fieldsOf(body),
    ...{ id, org_id: organisation, date_created: created },
    ...{ keys: {}, subscriptions: {}, oauth_clients: {} },
  };
  await namedOnce(() =>
    store.transact(async (connection) => {
      await connection
        .insertInto("portal_developers")
        .values({
          id,
          org_id: organisation,
          is_team: 1,
          sso_key: null,
          date_created: created,
          ...columnsOf(team),
        })
        .execute();
      await also(connection, id);
    }),
  );
  return id;
}

/**
 * Calls `work` with a locked team, in a transaction. Rejects with `notFound`, and with 409 if the team's name is taken.
 */
export async function changeTeam(
  store: Store,
  organisation: string,
  id: string,
  work: (connection: StoreTransaction, team: TeamRecord) => Promise<void>,
): Promise<void> {
  await namedOnce(() =>
    store.transact(async (connection) => {
      await work(connection, await lockTeam(connection, organisation, id));
    }),
  );
}

/** Changes the name and state of a locked team. Its credentials stay. Rejects with 400 if the name is not valid. */
export async function replaceTeam(
  connection: StoreTransaction,
  organisation: string,
  former: TeamRecord,
  body: Team,
): Promise<void> {
  const team = { ...former, ...fieldsOf(body) };
  await connection.updateTable("portal_developers").set(columnsOf(team)).where("id", "=", team.id).execute();
  if (former.name !== team.name) await renameOwner(connection, organisation, team.id, team.name);
  if (former.inactive !== team.inactive) await setCredentialsInactive(connection, organisation, team);
}

/** Deletes a team, which is locked, with all its credentials, requests and apps. Its members stay developers. */
export async function deleteTeam(
  connection: StoreTransaction,
  organisation: string,
  team: TeamRecord,
): Promise<void> {
  for (const table of ["portal_team_members", "portal_team_invitations"] as const) {
    await connection.deleteFrom(table).where("team_id", "=", team.id).execute();
  }
  await deleteOwner(connection, organisation, team);
}

function readTeam({ id, record }: { readonly id: string; readonly record: string }): TeamRecord {
  return { ...JSON.parse(record), id };
}

/**
 * Returns the fields that clients set. Throws a 400 if the name has no visible characters or has control characters.
 */
function fieldsOf({ name, inactive = false }: Team): Pick<TeamRecord, "name" | "inactive"> {
  const trimmed = name.trim();
  if (trimmed !== "" && !/\p{Cc}/u.test(trimmed)) return { name: trimmed, inactive };
  throw refusal(400, "Team object validation failed.", ["name: Must have characters that can be read"]);
}

/** Stores the name in the unique `email` column. No e-mail address has this prefix. */
function columnsOf(team: TeamRecord) {
  return { email: teamText(team.name), record: JSON.stringify(team) };
}

function namedOnce<T>(work: () => Promise<T>): Promise<T> {
  return refuseDuplicate("A team with that name already exists.", work);
}
