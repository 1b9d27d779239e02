// The operations at `/teams`: groups of developers who share credentials.

import { written } from "../../rest/answers.ts";
import { pageParameters, readPage } from "../../rest/lists.ts";
import type { RecordSchema } from "../../rest/operation.ts";
import { teamSchema } from "../generated/team.ts";
import { operation, type PortalOperation } from "../operation.ts";
import { putMember, removeMember, type TeamRole } from "../teams/members.ts";
import { changeTeam, createTeam, deleteTeam, getTeam, listTeams, replaceTeam } from "../teams/teams.ts";

const tag = "Teams";

/** The role of a team member. */
export const roleSchema: RecordSchema<{ readonly role: TeamRole }> = {
  name: "TeamRole",
  schema: {
    title: "Role",
    description: "What a member of a team is.",
    type: "object",
    additionalProperties: false,
    required: ["role"],
    properties: {
      role: {
        type: "string",
        enum: ["owner", "member"],
        description: "Owners change the team and its members.",
      },
    },
  },
};

export const teamOperations: readonly PortalOperation[] = [
  operation({
    method: "GET",
    path: "/teams",
    operationId: "listTeams",
    tag,
    summary: "Lists the teams of the organisation, the oldest first.",
    parameters: pageParameters,
    answer: { kind: "list", record: teamSchema },
    run: (request, { store }) => listTeams(store, request.organisation, readPage(request)),
  }),
  operation({
    method: "POST",
    path: "/teams",
    operationId: "createTeam",
    tag,
    summary: "Creates a team without members.",
    body: { record: teamSchema },
    answer: { kind: "written", message: "`Message` is its id." },
    refusals: [409],
    run: async ({ organisation, body }, { store }) => written(await createTeam(store, organisation, body)),
  }),
  operation({
    method: "GET",
    path: "/teams/{id}",
    operationId: "readTeam",
    tag,
    summary: "Reads a team.",
    answer: { kind: "record", record: teamSchema },
    refusals: [404],
    run: ({ organisation, param }, { store }) => getTeam(store, organisation, param("id")),
  }),
  operation({
    method: "PUT",
    path: "/teams/{id}",
    operationId: "replaceTeam",
    tag,
    summary: "Changes the name and state of a team. The credentials of an inactive team do not work.",
    body: { record: teamSchema },
    answer: { kind: "written", message: "`Data updated`." },
    refusals: [404, 409],
    async run({ organisation, param, body }, { store }) {
      await changeTeam(store, organisation, param("id"), (connection, team) =>
        replaceTeam(connection, organisation, team, body),
      );
      return written("Data updated");
    },
  }),
  operation({
    method: "DELETE",
    path: "/teams/{id}",
    operationId: "deleteTeam",
    tag,
    summary: "Deletes a team with all its credentials, requests and apps. Its members stay.",
    answer: { kind: "written", message: "`Data deleted`." },
    refusals: [404],
    async run({ organisation, param }, { store }) {
      await changeTeam(store, organisation, param("id"), (connection, team) =>
        deleteTeam(connection, organisation, team),
      );
      return written("Data deleted");
    },
  }),
  operation({
    method: "PUT",
    path: "/teams/{id}/members/{developer}",
    operationId: "putTeamMember",
    tag,
    summary: "Adds a developer to a team, or changes the developer's role in it.",
    body: { record: roleSchema },
    answer: { kind: "written", message: "`Data updated`." },
    refusals: [404, 409],
    async run({ organisation, param, body }, { store }) {
      await changeTeam(store, organisation, param("id"), (connection, team) =>
        putMember(connection, organisation, team.id, param("developer"), body.role),
      );
      return written("Data updated");
    },
  }),
  operation({
    method: "DELETE",
    path: "/teams/{id}/members/{developer}",
    operationId: "removeTeamMember",
    tag,
    summary: "Removes a developer from a team. The credentials of the team stay valid.",
    answer: { kind: "written", message: "`Data deleted`." },
    refusals: [404],
    async run({ organisation, param }, { store }) {
      await changeTeam(store, organisation, param("id"), (connection, team) =>
        removeMember(connection, team.id, param("developer")),
      );
      return written("Data deleted");
    },
  }),
];
