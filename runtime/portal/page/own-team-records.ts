// The records that developers send and read about teams, with their JSON Schemas.

import type { RecordSchema } from "../../rest/operation.ts";
import type { TeamRole } from "../teams/members.ts";

const role = { type: "string", enum: ["owner", "member"] } as const;
const name = {
  type: "string",
  minLength: 1,
  maxLength: 100,
  description: "The name of the team.",
} as const;

/** A team that a developer belongs to. */
export interface OwnTeam {
  readonly id: string;
  readonly name: string;
  /** The developer's role in the team. */
  readonly role: TeamRole;
  readonly inactive: boolean;
}

/** The JSON Schema of `OwnTeam`. */
export const ownTeamSchema: RecordSchema<OwnTeam> = {
  name: "OwnTeam",
  schema: {
    title: "Team",
    description: "A team that a developer is in.",
    type: "object",
    additionalProperties: false,
    required: [],
    properties: {
      id: { type: "string" },
      name: { type: "string" },
      role: { ...role, description: "The role of the developer. Owners change the team and its members." },
      inactive: { type: "boolean", description: "Whether its credentials are disabled." },
    },
  },
};

/** A team that a developer has been invited to. */
export interface OwnInvitation {
  readonly team: string;
  readonly name: string;
  readonly role: TeamRole;
}

/** The JSON Schema of `OwnInvitation`. */
export const ownInvitationSchema: RecordSchema<OwnInvitation> = {
  name: "OwnInvitation",
  schema: {
    title: "Invitation",
    description: "A team that a developer has been invited to.",
    type: "object",
    additionalProperties: false,
    required: [],
    properties: {
      team: { type: "string", description: "Id of the team." },
      name: { type: "string", description: "The name of the team." },
      role: { ...role, description: "The role of the invited developer." },
    },
  },
};

/** The name of a team. */
export const namingTeamSchema: RecordSchema<{ readonly name: string }> = {
  name: "NamingTeam",
  schema: {
    title: "Team",
    description: "The name of a team.",
    type: "object",
    additionalProperties: false,
    required: ["name"],
    properties: { name },
  },
};

/** An invitation to send. */
export const invitingSchema: RecordSchema<{ readonly email: string; readonly role: TeamRole }> = {
  name: "Inviting",
  schema: {
    title: "Invitation",
    description: "An invitation to a team.",
    type: "object",
    additionalProperties: false,
    required: ["email", "role"],
    properties: {
      email: { type: "string", maxLength: 254, description: "E-mail address." },
      role: { ...role, description: "The role of the invited developer." },
    },
  },
};
