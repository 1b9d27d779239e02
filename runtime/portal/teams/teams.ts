// Teams in the store: owners as developers are, which no one logs in as.

import { notFound, refusal, refuseDuplicate } from "../../rest/answers.ts";
import { type Listed, listed, type Page } from "../../rest/lists.ts";
import { createIdentifier } from "../../store/identifiers.ts";
import type { Store, StoreConnection, Writing } from "../../store/store.ts";
import { deleteOwner, setCredentialsInactive } from "../developers/credentials-of.ts";
import { isTeam, lockOwner, type TeamRecord } from "../developers/owner-records.ts";
import type { Team } from "../generated/team.ts";
import { describePeople } from "./members.ts";

/** A page of an organisation's teams, the oldest first. */
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

/** One team; rejects with `notFound`. */
export async function getTeam(store: Store, organisation: string, id: string): Promise<Team> {
  return store.read(async (connection) => {
    const team = await findTeam(connection, organisation, id);
    if (team === undefined) throw notFound();
    const [described] = await describePeople(connection, organisation, [team]);
    return described ?? team;
  });
}

/** The team as it is stored; `undefined` where there is none. */
export async function findTeam(
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

/** `lockOwner` of a team; rejects with `notFound`. */
async function lockTeam(connection: Writing, organisation: string, id: string): Promise<TeamRecord> {
  const owner = await lockOwner(connection, organisation, id);
  if (owner === undefined || !isTeam(owner)) throw notFound();
  return owner;
}

/**
 * Makes a team, in a transaction with what `also` does, and gives its id. Rejects with 400 for a name that is not one, and with
 * 409 where it is taken.
 */
export async function createTeam(
  store: Store,
  organisation: string,
  body: Team,
  also: (connection: Writing, id: string) => Promise<void> = async () => {},
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

/** Does something with a team that is locked, in one transaction. Rejects with `notFound`, and with 409 for a name that is taken. */
export async function changeTeam(
  store: Store,
  organisation: string,
  id: string,
  work: (connection: Writing, team: TeamRecord) => Promise<void>,
): Promise<void> {
  await namedOnce(() =>
    store.transact(async (connection) => {
      await work(connection, await lockTeam(connection, organisation, id));
    }),
  );
}

/** Gives a team, which is locked, another name and state; what it has stays. Rejects with 400 for a name that is not one. */
export async function replaceTeam(
  connection: Writing,
  organisation: string,
  former: TeamRecord,
  body: Team,
): Promise<void> {
  const team = { ...former, ...fieldsOf(body) };
  await connection.updateTable("portal_developers").set(columnsOf(team)).where("id", "=", team.id).execute();
  if (former.inactive !== team.inactive) await setCredentialsInactive(connection, organisation, team);
}

/** Deletes a team, which is locked, with all that it has; its members stay developers. */
export async function deleteTeam(connection: Writing, organisation: string, team: TeamRecord): Promise<void> {
  for (const table of ["portal_team_members", "portal_team_invitations"] as const) {
    await connection.deleteFrom(table).where("team_id", "=", team.id).execute();
  }
  await deleteOwner(connection, organisation, team);
}

function readTeam({ id, record }: { readonly id: string; readonly record: string }): TeamRecord {
  return { ...JSON.parse(record), id };
}

/** What clients say of a team. Throws a 400 for a name that cannot be read. */
function fieldsOf({ name, inactive = false }: Team): Pick<TeamRecord, "name" | "inactive"> {
  const trimmed = name.trim();
  if (trimmed !== "" && !/\p{Cc}/u.test(trimmed)) return { name: trimmed, inactive };
  throw refusal(400, "Team object validation failed.", ["name: Must have characters that can be read"]);
}

/** The name is unique as addresses are, of which none begins like that. */
function columnsOf(team: TeamRecord) {
  return { email: `team:${team.name.toLowerCase()}`, record: JSON.stringify(team) };
}

function namedOnce<T>(work: () => Promise<T>): Promise<T> {
  return refuseDuplicate("A team with that name is there already.", work);
}
