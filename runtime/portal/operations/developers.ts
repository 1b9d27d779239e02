// The operations at `/developers`: the people who request access.

import { refusal, written } from "../../rest/answers.ts";
import { pageParameters, readPage } from "../../rest/lists.ts";
import type { RecordSchema } from "../../rest/operation.ts";
import {
  createDeveloper,
  deleteDeveloper,
  getDeveloper,
  listDevelopers,
  replaceDeveloper,
} from "../developers/developers.ts";
import { changePassword, verifyCredentials } from "../developers/log-in.ts";
import { developerSchema } from "../generated/developer.ts";
import { mailDeveloper } from "../mail/letters.ts";
import { operation, type PortalOperation } from "../operation.ts";

const tag = "Developers";

const loginSchema: RecordSchema<{ readonly username: string; readonly password: string }> = {
  name: "DeveloperLogin",
  schema: {
    title: "Login",
    description: "Login data of a developer.",
    type: "object",
    additionalProperties: false,
    required: ["username", "password"],
    properties: {
      username: { type: "string", description: "E-mail address.", minLength: 1, maxLength: 254 },
      password: { type: "string", minLength: 1, maxLength: 1024, writeOnly: true },
    },
  },
};

const passwordSchema: RecordSchema<{ readonly password: string }> = {
  name: "NewPassword",
  schema: {
    title: "Developer password",
    description: "The new password of a developer, or its bcrypt hash.",
    type: "object",
    additionalProperties: false,
    required: ["password"],
    properties: { password: { type: "string", writeOnly: true } },
  },
};

export const developerOperations: readonly PortalOperation[] = [
  operation({
    method: "GET",
    path: "/developers",
    operationId: "listDevelopers",
    tag,
    summary: "Lists the developers of the organisation, the oldest first.",
    parameters: pageParameters,
    answer: { kind: "list", record: developerSchema },
    run: (request, { store }) => listDevelopers(store, request.organisation, readPage(request)),
  }),
  operation({
    method: "POST",
    path: "/developers",
    operationId: "createDeveloper",
    tag,
    summary: "Creates a developer.",
    body: { record: developerSchema },
    answer: { kind: "written", message: "`Message` is its id." },
    refusals: [409],
    async run({ organisation, body }, services) {
      const id = await createDeveloper(services, organisation, body, (connection) =>
        mailDeveloper(services, connection, organisation, "welcome_email", body),
      );
      services.mailer?.wake();
      return written(id);
    },
  }),
  operation({
    method: "GET",
    path: "/developers/{id}",
    operationId: "readDeveloper",
    tag,
    summary: "Reads a developer.",
    answer: { kind: "record", record: developerSchema },
    refusals: [404],
    run: ({ organisation, param }, { store }) => getDeveloper(store, organisation, "id", param("id")),
  }),
  operation({
    method: "GET",
    path: "/developers/email/{email}",
    operationId: "readDeveloperByEmail",
    tag,
    summary: "Reads the developer with an e-mail address, ignoring case.",
    answer: { kind: "record", record: developerSchema },
    refusals: [404],
    run: ({ organisation, param }, { store }) => getDeveloper(store, organisation, "email", param("email")),
  }),
  operation({
    method: "GET",
    path: "/developers/ssokey/{key}",
    operationId: "readDeveloperBySsoKey",
    tag,
    summary: "Reads the developer with an SSO key.",
    answer: { kind: "record", record: developerSchema },
    refusals: [404],
    run: ({ organisation, param }, { store }) => getDeveloper(store, organisation, "sso_key", param("key")),
  }),
  operation({
    method: "PUT",
    path: "/developers/{id}",
    operationId: "replaceDeveloper",
    tag,
    summary:
      "Replaces a developer completely, except the fields that the server sets. The password stays if none is given.",
    body: { record: developerSchema },
    answer: { kind: "written", message: "`Data updated`." },
    refusals: [404, 409],
    async run({ organisation, param, body }, services) {
      await replaceDeveloper(services, organisation, param("id"), body);
      return written("Data updated");
    },
  }),
  operation({
    method: "DELETE",
    path: "/developers/{id}",
    operationId: "deleteDeveloper",
    tag,
    summary: "Deletes a developer, with all its credentials, requests and apps.",
    answer: { kind: "written", message: "`Data deleted`." },
    refusals: [404],
    async run({ organisation, param }, { store }) {
      await deleteDeveloper(store, organisation, param("id"));
      return written("Data deleted");
    },
  }),
  operation({
    method: "POST",
    path: "/developers/verify_credentials",
    operationId: "verifyCredentials",
    tag,
    summary: "Checks the password of a developer who may log in.",
    body: { record: loginSchema },
    answer: { kind: "written", message: "`Message` is the id of the developer." },
    refusals: [429],
    async run({ caller, body }, services) {
      const login = await verifyCredentials(services, caller, body);
      if (login.outcome === "refused") throw refusal(401, "Not authorised");
      if (login.outcome === "expired") throw refusal(401, "The password has expired.");
      return written(login.developer.id ?? "");
    },
  }),
  operation({
    method: "POST",
    path: "/developers/password/{id}",
    operationId: "changeDeveloperPassword",
    tag,
    summary: "Changes the password of a developer.",
    body: { record: passwordSchema },
    answer: { kind: "written", message: "`Password changed`." },
    refusals: [404, 409],
    async run({ organisation, param, body }, services) {
      await changePassword(services, organisation, param("id"), body.password, (connection, developer) =>
        mailDeveloper(services, connection, organisation, "reset_password_email", developer),
      );
      services.mailer?.wake();
      return written("Password changed");
    },
  }),
];
