// The members and invitations of teams.

import { notFound, refusal } from "../../rest/answers.ts";
import type { StoreConnection, StoreTransaction } from "../../store/store.ts";
import { isAddress } from "../developers/addresses.ts";
import { columnOf, findDevelopers, lockDeveloper } from "../developers/developer-records.ts";
import type { DeveloperRecord, TeamRecord } from "../developers/owner-records.ts";
import type { Team } from "../generated/team.ts";

/** The role of a member. Owners change the team and its members. */
export type TeamRole = "owner" | "member";

/** The maximum number of members and invitations of a team. */
const mostPeople = 200;

/** Returns teams with their members and invitations. */
export async function describePeople(
  connection: StoreConnection,
  organisation: string,
  teams: readonly TeamRecord[],
): Promise<readonly Team[]> {
  const ids = teams.map(({ id }) => id);
  if (ids.length === 0) return [];
  const members = await connection
    .selectFrom("portal_team_members")
    .selectAll()
    .where("team_id", "in", ids)
    .orderBy("role", "desc") // owners first
    .orderBy("developer_id")
    .execute();
  const invitations = await connection
    .selectFrom("portal_team_invitations")
    .selectAll()
    .where("team_id", "in", ids)
    .orderBy("email")
    .execute();
  const known = await findDevelopers(
    connection,
    organisation,
    members.map(({ developer_id: id }) => id),
  );
  return teams.map((team) => ({
    ...team,
    members: members
      .filter(({ team_id: id }) => id === team.id)
      .map(({ developer_id: developer, role }) => {
        return { developer, email: known.get(developer)?.email ?? "", role };
      }),
    invitations: invitations
      .filter(({ team_id: id }) => id === team.id)
      .map(({ email, role }) => ({ email, role })),
  }));
}

/** Returns the role of a developer in a team; `undefined` if the developer is not a member. */
export async function roleIn(
  connection: StoreConnection,
  organisation: string,
  team: string,
  developer: string,
): Promise<TeamRole | undefined> {
  const row = await connection
    .selectFrom("portal_team_members")
    .select("role")
    .where("team_id", "=", team)
    .where("developer_id", "=", developer)
    .where("org_id", "=", organisation)
    .executeTakeFirst();
  return row?.role;
}

/**
 * Throws a 403 if a member is not an owner of the team, and a 404 if the developer is not a member. The team is locked.
 */
export async function refuseOthers(
  connection: StoreTransaction,
  organisation: string,
  team: string,
  developer: string,
): Promise<void> {
  const role = await roleIn(connection, organisation, team, developer);
  if (role === undefined) throw notFound();
  if (role !== "owner") throw refusal(403, "Only owners of the team may do this.");
}

/** Adds a developer to a locked team, or changes its role. Rejects with 400 if the developer does not exist. */
export async function putMember(
  connection: StoreTransaction,
  organisation: string,
  team: string,
  developer: string,
  role: TeamRole,
): Promise<void> {
  const person = await lockDeveloper(connection, organisation, developer);
  if (person === undefined) throw refusal(400, "No developer found!");
  await deleteInvitation(connection, team, columnOf(person));
  if ((await roleIn(connection, organisation, team, developer)) === undefined) {
    await refuseMore(connection, team);
    await connection
      .insertInto("portal_team_members")
      .values({ team_id: team, developer_id: developer, org_id: organisation, role })
      .execute();
    return;
  }
  await connection
    .updateTable("portal_team_members")
    .set({ role })
    .where("team_id", "=", team)
    .where("developer_id", "=", developer)
    .execute();
}

/** Removes a developer from a team, which keeps its credentials. The team is locked. Rejects with `notFound`. */
export async function removeMember(
  connection: StoreTransaction,
  team: string,
  developer: string,
): Promise<void> {
  const { numDeletedRows } = await connection
    .deleteFrom("portal_team_members")
    .where("team_id", "=", team)
    .where("developer_id", "=", developer)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound();
}

/** Throws a 409 if a team no longer has an owner. The team is locked. */
export async function refuseOwnerless(connection: StoreTransaction, team: string): Promise<void> {
  const owner = await connection
    .selectFrom("portal_team_members")
    .select("developer_id")
    .where("team_id", "=", team)
    .where("role", "=", "owner")
    .executeTakeFirst();
  if (owner === undefined) throw refusal(409, "The team would have no owner. Make another member one first.");
}

/**
 * Invites an address to a team. The team is locked. The result does not reveal whether a developer has the address.
 * Rejects with 400 if `email` is not an address, and with 409 if a member has it.
 */
export async function invite(
  connection: StoreTransaction,
  organisation: string,
  team: string,
  { email, role }: { readonly email: string; readonly role: TeamRole },
): Promise<void> {
  if (!isAddress(email))
    throw refusal(400, "The invitation is not valid.", ["email: Does not match format 'email'"]);
  const address = columnOf({ email });
  const member = await connection
    .selectFrom("portal_team_members as member")
    .innerJoin("portal_developers as developer", "developer.id", "member.developer_id")
    .select("developer.id")
    .where("member.team_id", "=", team)
    .where("developer.email", "=", address)
    .executeTakeFirst();
  if (member !== undefined) throw refusal(409, "A member of the team has that address.");
  await deleteInvitation(connection, team, address);
  await refuseMore(connection, team);
  await connection
    .insertInto("portal_team_invitations")
    .values({ team_id: team, email: address, org_id: organisation, role })
    .execute();
}

/** Deletes an invitation and returns its role; `undefined` if there is none. */
export async function deleteInvitation(
  connection: StoreTransaction,
  team: string,
  email: string,
): Promise<TeamRole | undefined> {
  const row = await connection
    .deleteFrom("portal_team_invitations")
    .where("team_id", "=", team)
    .where("email", "=", email.toLowerCase())
    .returning("role")
    .executeTakeFirst();
  return row?.role;
}

/** Removes a developer from all teams, in the transaction that deletes the developer. */
export async function deleteMemberships(
  connection: StoreTransaction,
  organisation: string,
  developer: DeveloperRecord,
): Promise<void> {
  await connection
    .deleteFrom("portal_team_members")
    .where("org_id", "=", organisation)
    .where("developer_id", "=", developer.id)
    .execute();
  await connection
    .deleteFrom("portal_team_invitations")
    .where("org_id", "=", organisation)
    .where("email", "=", columnOf(developer))
    .execute();
}

/** Returns the developers who own a team. */
export async function findTeamOwners(
  connection: StoreConnection,
  organisation: string,
  team: string,
): Promise<readonly DeveloperRecord[]> {
  const rows = await connection
    .selectFrom("portal_team_members")
    .select("developer_id")
    .where("team_id", "=", team)
    .where("role", "=", "owner")
    .execute();
  const ids = rows.map(({ developer_id: id }) => id);
  return [...(await findDevelopers(connection, organisation, ids)).values()];
}

async function refuseMore(connection: StoreTransaction, team: string): Promise<void> {
  let people = 0;
  for (const table of ["portal_team_members", "portal_team_invitations"] as const) {
    const { count } = await connection
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("team_id", "=", team)
      .executeTakeFirstOrThrow();
    people += Number(count);
  }
  if (people >= mostPeople) throw refusal(409, `A team has ${mostPeople} members and invitations at most.`);
}
