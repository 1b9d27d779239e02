// The operations of a logged-in developer on teams, and on behalf of a team.

import { notFound, refusal, written } from "../../rest/answers.ts";
import type { OperationRequest } from "../../rest/operation.ts";
import type { StoreTransaction } from "../../store/store.ts";
import { columnOf } from "../developers/developer-records.ts";
import { getDeveloper } from "../developers/developers.ts";
import type { TeamRecord } from "../developers/owner-records.ts";
import { type Team, teamSchema } from "../generated/team.ts";
import { operation, type PortalOperation, type PortalServices } from "../operation.ts";
import { roleSchema } from "../operations/teams.ts";
import {
  deleteInvitation,
  invite,
  putMember,
  refuseOthers,
  refuseOwnerless,
  removeMember,
  roleIn,
  type TeamRole,
} from "../teams/members.ts";
import { changeTeam, createTeam, deleteTeam, getTeam, replaceTeam } from "../teams/teams.ts";
import {
  invitingSchema,
  namingTeamSchema,
  type OwnInvitation,
  type OwnTeam,
  ownInvitationSchema,
  ownTeamSchema,
} from "./own-team-records.ts";

const tag = "Own teams";

/** The maximum number of teams per developer, because each team may have requests. */
const mostTeams = 50;

/** The response for an invitation about which no e-mail is sent. */
const notMailed = "The invitation is valid, but no more e-mails are sent today.";

/** Operations whose `caller.developer` is the logged-in developer. */
export const ownTeamOperations: readonly PortalOperation[] = [
  operation({
    method: "GET",
    path: "/teams",
    operationId: "listOwnTeams",
    tag,
    summary: "Lists the teams that the developer is in.",
    answer: { kind: "list", record: ownTeamSchema },
    async run(request, { store }) {
      const rows = await store.read((connection) =>
        connection
          .selectFrom("portal_team_members as member")
          .innerJoin("portal_developers as team", "team.id", "member.team_id")
          .select(["team.id", "team.record", "member.role"])
          .where("member.org_id", "=", request.organisation)
          .where("member.developer_id", "=", developerOf(request))
          .orderBy("team.email")
          .execute(),
      );
      const Data = rows.map(({ id, record, role }): OwnTeam => {
        const { name, inactive = false }: Team = JSON.parse(record);
        return { id, name, role, inactive };
      });
      return { Data, Pages: 1 };
    },
  }),
  operation({
    method: "POST",
    path: "/teams",
    operationId: "createOwnTeam",
    tag,
    summary: "Creates a team that the developer owns.",
    body: { record: namingTeamSchema },
    answer: { kind: "written", message: "`Message` is its id." },
    refusals: [409],
    async run(request, { store }) {
      const { organisation, body } = request;
      const developer = developerOf(request);
      const id = await createTeam(store, organisation, body, async (connection, team) => {
        await putMember(connection, organisation, team, developer, "owner");
        await refuseMoreTeams(connection, organisation, developer);
      });
      return written(id);
    },
  }),
  operation({
    method: "GET",
    path: "/teams/{team}",
    operationId: "readOwnTeam",
    tag,
    summary: "Reads a team that the developer is in, with its members.",
    answer: { kind: "record", record: teamSchema },
    refusals: [404],
    async run(request, services) {
      await checkMember(request, services);
      return getTeam(services.store, request.organisation, request.param("team"));
    },
  }),
  operation({
    method: "PUT",
    path: "/teams/{team}",
    operationId: "renameOwnTeam",
    tag,
    summary: "Renames a team. Only for its owners.",
    body: { record: namingTeamSchema },
    answer: { kind: "written", message: "`Data updated`." },
    refusals: [403, 404, 409],
    async run(request, services) {
      const { organisation, body } = request;
      await asOwner(request, services, (connection, team) =>
        replaceTeam(connection, organisation, team, { ...team, ...body }),
      );
      return written("Data updated");
    },
  }),
  operation({
    method: "DELETE",
    path: "/teams/{team}",
    operationId: "deleteOwnTeam",
    tag,
    summary: "Deletes a team, with all its credentials, requests and apps; for its owners.",
    answer: { kind: "written", message: "`Data deleted`." },
    refusals: [403, 404],
    async run(request, services) {
      await asOwner(request, services, (connection, team) =>
        deleteTeam(connection, request.organisation, team),
      );
      return written("Data deleted");
    },
  }),
  operation({
    method: "PUT",
    path: "/teams/{team}/members/{developer}",
    operationId: "putOwnTeamMember",
    tag,
    summary: "Changes the role of a member of a team. Only for its owners.",
    body: { record: roleSchema },
    answer: { kind: "written", message: "`Data updated`." },
    refusals: [403, 404, 409],
    async run(request, services) {
      const { organisation, param, body } = request;
      await asOwner(request, services, async (connection, { id }) => {
        const member = param("developer");
        if ((await roleIn(connection, organisation, id, member)) === undefined) throw notFound();
        await putMember(connection, organisation, id, member, body.role);
        await refuseOwnerless(connection, id);
      });
      return written("Data updated");
    },
  }),
  operation({
    method: "DELETE",
    path: "/teams/{team}/members/{developer}",
    operationId: "removeOwnTeamMember",
    tag,
    summary:
      "Removes a member from a team, whose credentials stay valid. For its owners, and for members to leave it.",
    answer: { kind: "written", message: "`Data deleted`." },
    refusals: [403, 404, 409],
    async run(request, { store }) {
      const { organisation, param } = request;
      const [developer, member] = [developerOf(request), param("developer")];
      await changeTeam(store, organisation, param("team"), async (connection, { id }) => {
        if (member !== developer) await refuseOthers(connection, organisation, id, developer);
        await removeMember(connection, id, member);
        await refuseOwnerless(connection, id);
      });
      return written("Data deleted");
    },
  }),
  operation({
    method: "POST",
    path: "/teams/{team}/invitations",
    operationId: "inviteToOwnTeam",
    tag,
    summary:
      "Invites an e-mail address to a team, whether or not a developer has it. Only for its owners. Sends an e-mail.",
    body: { record: invitingSchema },
    answer: {
      kind: "written",
      message: `\`Data updated\`, or \`${notMailed}\` if the daily limit of e-mails is reached.`,
    },
    refusals: [403, 404, 409],
    async run(request, services) {
      const { organisation, body } = request;
      const { mailInvitation, mailer } = services;
      let message = "Data updated";
      await asOwner(request, services, async (connection, team) => {
        await invite(connection, organisation, team.id, body);
        const invited = { team, email: body.email, by: developerOf(request) };
        const isMailed = await mailInvitation?.(services, connection, organisation, invited);
        if (isMailed === false) message = notMailed;
      });
      mailer?.wake();
      return written(message);
    },
  }),
  operation({
    method: "DELETE",
    path: "/teams/{team}/invitations/{email}",
    operationId: "takeBackInvitation",
    tag,
    summary: "Withdraws an invitation to a team. Only for its owners.",
    answer: { kind: "written", message: "`Data deleted`." },
    refusals: [403, 404],
    async run(request, services) {
      await asOwner(request, services, async (connection, { id }) => {
        if ((await deleteInvitation(connection, id, request.param("email"))) === undefined) throw notFound();
      });
      return written("Data deleted");
    },
  }),
  operation({
    method: "GET",
    path: "/invitations",
    operationId: "listOwnInvitations",
    tag,
    summary: "Lists the teams that the developer has been invited to.",
    answer: { kind: "list", record: ownInvitationSchema },
    async run(request, services) {
      const email = await addressOf(request, services);
      const rows = await services.store.read((connection) =>
        connection
          .selectFrom("portal_team_invitations as invitation")
          .innerJoin("portal_developers as team", "team.id", "invitation.team_id")
          .select(["team.id as team", "team.record", "invitation.role"])
          .where("invitation.org_id", "=", request.organisation)
          .where("invitation.email", "=", email)
          .orderBy("team.email")
          .execute(),
      );
      const Data = rows.map(({ team, record, role }): OwnInvitation => {
        const { name }: Team = JSON.parse(record);
        return { team, name, role };
      });
      return { Data, Pages: 1 };
    },
  }),
  operation({
    method: "POST",
    path: "/invitations/{team}",
    operationId: "acceptInvitation",
    tag,
    summary: "Accepts an invitation to a team.",
    answer: { kind: "written", message: "`Data updated`." },
    refusals: [404, 409],
    async run(request, services) {
      const { organisation } = request;
      const developer = developerOf(request);
      await answerInvitation(request, services, async (connection, team, role) => {
        await putMember(connection, organisation, team, developer, role);
        await refuseMoreTeams(connection, organisation, developer);
      });
      return written("Data updated");
    },
  }),
  operation({
    method: "DELETE",
    path: "/invitations/{team}",
    operationId: "declineInvitation",
    tag,
    summary: "Declines an invitation to a team.",
    answer: { kind: "written", message: "`Data deleted`." },
    refusals: [404],
    async run(request, services) {
      await answerInvitation(request, services, async () => {});
      return written("Data deleted");
    },
  }),
];

/**
 * Returns an operation on a developer's objects as an operation on the objects of a team that the developer belongs to.
 */
export function ofTeam(own: PortalOperation): PortalOperation {
  return {
    ...own,
    path: `/teams/{team}${own.path}`,
    operationId: `${own.operationId}OfTeam`,
    tag,
    summary: `For a team that the developer is in. ${own.summary}`,
    refusals: [...new Set([...(own.refusals ?? []), 404])],
    async run(request, services) {
      await checkMember(request, services);
      const caller = { ...request.caller, developer: request.param("team") };
      return own.run({ ...request, caller }, services);
    },
  };
}

async function checkMember(request: OperationRequest, { store }: PortalServices): Promise<void> {
  const { organisation, param } = request;
  const developer = developerOf(request);
  const role = await store.read((connection) => roleIn(connection, organisation, param("team"), developer));
  if (role === undefined) throw notFound();
}

/** Calls `work` with a locked team that the developer owns. */
async function asOwner(
  request: OperationRequest,
  { store }: PortalServices,
  work: (connection: StoreTransaction, team: TeamRecord) => Promise<void>,
): Promise<void> {
  const { organisation, param } = request;
  await changeTeam(store, organisation, param("team"), async (connection, team) => {
    await refuseOthers(connection, organisation, team.id, developerOf(request));
    await work(connection, team);
  });
}

/** Deletes an invitation of the developer and calls `work` with its role. */
async function answerInvitation(
  request: OperationRequest,
  services: PortalServices,
  work: (connection: StoreTransaction, team: string, role: TeamRole) => Promise<void>,
): Promise<void> {
  const { organisation, param } = request;
  const email = await addressOf(request, services);
  await changeTeam(services.store, organisation, param("team"), async (connection, { id }) => {
    const role = await deleteInvitation(connection, id, email);
    if (role === undefined) throw notFound();
    await work(connection, id, role);
  });
}

async function addressOf(request: OperationRequest, { store }: PortalServices): Promise<string> {
  return columnOf(await getDeveloper(store, request.organisation, "id", developerOf(request)));
}

async function refuseMoreTeams(
  connection: StoreTransaction,
  organisation: string,
  developer: string,
): Promise<void> {
  const { count } = await connection
    .selectFrom("portal_team_members")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("org_id", "=", organisation)
    .where("developer_id", "=", developer)
    .executeTakeFirstOrThrow();
  if (Number(count) > mostTeams) throw refusal(409, `A developer is in ${mostTeams} teams at most.`);
}

/** Returns the id of the logged-in developer. Throws 401 if there is none. */
export function developerOf({ caller }: Pick<OperationRequest, "caller">): string {
  if (caller.developer === undefined) throw refusal(401, "Not authorised");
  return caller.developer;
}
