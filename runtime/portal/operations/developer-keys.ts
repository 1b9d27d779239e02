// The operations at `/developers/{id}/keys` and `/teams/{id}/keys`: the credentials of a developer or a team.

import { written } from "../../rest/answers.ts";
import type { RecordSchema } from "../../rest/operation.ts";
import {
  addDeveloperKey,
  deleteDeveloperKey,
  getDeveloperKey,
  type PoliciesOfKey,
  type RequestedKey,
  replaceDeveloperKey,
  resetQuota,
} from "../developers/developer-keys.ts";
import { getDeveloper } from "../developers/developers.ts";
import { keyRequestSchema } from "../generated/key-request.ts";
import { operation, type PortalOperation } from "../operation.ts";
import { getTeam } from "../teams/teams.ts";
import { credentialAnswer } from "./credential-answer.ts";

/** A kind of owner of keys. */
interface OwnerKind {
  readonly path: string;
  /** The owner's name in operation ids. */
  readonly name: string;
  /** The owner's name in summaries. */
  readonly one: string;
  readonly tag: string;
  /** Rejects with `notFound` if there is no owner with that id. */
  readonly check: PortalOperation["run"];
}

const policies = {
  type: "array",
  description: "Ids of the policies that the key has.",
  items: { type: "string" },
  minItems: 1,
};
const known = Object(keyRequestSchema.schema.properties);

const requestedKeySchema: RecordSchema<RequestedKey> = {
  name: "DeveloperKey",
  schema: {
    title: "Developer key",
    description: "The credential to issue to a developer or a team.",
    type: "object",
    additionalProperties: false,
    required: ["apply_policies"],
    properties: {
      apply_policies: policies,
      fields: known.fields,
      oauth_info: known.oauth_info,
      jwt_secret: known.jwt_secret,
      certificate: known.certificate,
    },
  },
};

const changedSchema: RecordSchema<PoliciesOfKey> = {
  name: "PoliciesOfKey",
  schema: {
    title: "Developer key",
    description: "The policies of a key.",
    type: "object",
    additionalProperties: false,
    required: ["apply_policies"],
    properties: { apply_policies: policies },
  },
};

/** Returns the operations on the keys of an owner, below the owner's path. */
function keyOperationsOf({ path, name, one, tag, check }: OwnerKind): readonly PortalOperation[] {
  const operations = [
    operation({
      method: "POST",
      path: `${path}/{id}/keys`,
      operationId: `add${name}Key`,
      tag,
      summary: `Issues ${one} a credential, as an approved request does.`,
      body: { record: requestedKeySchema },
      answer: credentialAnswer,
      refusals: [404, 409],
      run: ({ organisation, param, body }, services) =>
        addDeveloperKey(services, organisation, param("id"), body),
    }),
    operation({
      method: "GET",
      path: `${path}/{id}/keys/{keyId}`,
      operationId: `read${name}Key`,
      tag,
      summary: "Reads the policies of a key or of the OAuth client of that name.",
      answer: { kind: "record", record: changedSchema },
      refusals: [404],
      run: ({ organisation, param }, { store }) =>
        getDeveloperKey(store, organisation, param("id"), param("keyId")),
    }),
    operation({
      method: "PUT",
      path: `${path}/{id}/keys/{keyId}`,
      operationId: `replace${name}Key`,
      tag,
      summary: "Replaces the policies of a key. They take effect within a second.",
      body: { record: changedSchema },
      answer: { kind: "written", message: "`Data updated`." },
      refusals: [404],
      async run({ organisation, param, body }, services) {
        const { apply_policies: ids } = body;
        await replaceDeveloperKey(services, organisation, param("id"), param("keyId"), ids);
        return written("Data updated");
      },
    }),
    operation({
      method: "DELETE",
      path: `${path}/{id}/keys/{keyId}`,
      operationId: `delete${name}Key`,
      tag,
      summary: "Revokes a key or the OAuth client of that name. It works for at most one more second.",
      answer: { kind: "written", message: "`Data deleted`." },
      refusals: [404],
      async run({ organisation, param }, { store }) {
        await deleteDeveloperKey(store, organisation, param("id"), param("keyId"));
        return written("Data deleted");
      },
    }),
    operation({
      method: "POST",
      path: `${path}/{id}/keys/{keyId}/reset_quota`,
      operationId: `reset${name}Quota`,
      tag,
      summary: "Resets the quotas of a key. The reset takes effect within a second.",
      answer: { kind: "written", message: "`Data updated`." },
      refusals: [404],
      async run({ organisation, param }, { store }) {
        await resetQuota(store, organisation, param("id"), param("keyId"));
        return written("Data updated");
      },
    }),
  ];
  return operations.map((each) => ({
    ...each,
    async run(request, services) {
      await check(request, services);
      return each.run(request, services);
    },
  }));
}

/** The operations on the keys of developers and teams. */
export const keyOperations: readonly PortalOperation[] = [
  ...keyOperationsOf({
    path: "/developers",
    name: "Developer",
    one: "a developer",
    tag: "Developers",
    check: ({ organisation, param }, { store }) => getDeveloper(store, organisation, "id", param("id")),
  }),
  ...keyOperationsOf({
    path: "/teams",
    name: "Team",
    one: "a team",
    tag: "Teams",
    check: ({ organisation, param }, { store }) => getTeam(store, organisation, param("id")),
  }),
];
