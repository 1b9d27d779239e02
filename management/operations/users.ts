// The operations at `/users`: the holders of keys.

import { RestAnswer, written } from "../../runtime/rest/answers.ts";
import { withEntityTags } from "../../runtime/rest/conditional.ts";
import { pageParameters, readPage } from "../../runtime/rest/lists.ts";
import { writtenShape } from "../../runtime/rest/operation.ts";
import { type User, userSchema } from "../generated/user.ts";
import { type ManagedOperation, type ManagementServices, managed } from "../operation.ts";
import type { ManagementTables } from "../store/tables.ts";
import {
  createUser,
  deleteUser,
  getUser,
  listUsers,
  type NewUser,
  renewKey,
  replaceUser,
} from "../users/users.ts";

const tag = "Users";
const permission = "users";

const newKey = writtenShape("`Message` describes the result. `Meta` is the key, which is shown only once.", {
  type: "object",
  required: ["id", "access_key"],
  properties: { id: { type: "string" }, access_key: { type: "string" } },
});

function userAnswer(message: string, user: NewUser): object {
  return new RestAnswer({ Status: "OK", Message: message, Meta: user });
}

const operations: readonly ManagedOperation[] = [
  managed({
    method: "GET",
    path: "/users",
    operationId: "listUsers",
    tag,
    summary: "Lists the users of the organisation by their names.",
    permission,
    parameters: pageParameters,
    answer: { kind: "list", record: userSchema },
    run: (request, { store }) => listUsers(store, request.organisation, readPage(request)),
  }),
  managed<User>({
    method: "POST",
    path: "/users",
    operationId: "createUser",
    tag,
    summary: "Creates a user and its key.",
    permission,
    body: { record: userSchema },
    answer: newKey,
    refusals: [403, 409],
    run: async ({ caller, body }, { store }) =>
      userAnswer("User created", await createUser(store, caller, body)),
  }),
  managed({
    method: "GET",
    path: "/users/{id}",
    operationId: "readUser",
    tag,
    summary: "Reads a user.",
    permission,
    answer: { kind: "record", record: userSchema },
    refusals: [404],
    run: ({ organisation, param }, { store }) => getUser(store, organisation, param("id")),
  }),
  managed<User>({
    method: "PUT",
    path: "/users/{id}",
    operationId: "replaceUser",
    tag,
    summary: "Changes the name and the permissions of a user.",
    permission,
    body: { record: userSchema },
    answer: { kind: "written", message: "`Data updated`." },
    refusals: [403, 404, 409],
    async run({ caller, param, body }, { store }) {
      await replaceUser(store, caller, param("id"), body);
      return written("Data updated");
    },
  }),
  managed({
    method: "DELETE",
    path: "/users/{id}",
    operationId: "deleteUser",
    tag,
    summary: "Deletes a user and invalidates its key.",
    permission,
    answer: { kind: "written", message: "`Data deleted`." },
    refusals: [404],
    async run({ caller, param }, { store }) {
      await deleteUser(store, caller, param("id"));
      return written("Data deleted");
    },
  }),
  managed({
    method: "POST",
    path: "/users/{id}/key",
    operationId: "renewKey",
    tag,
    summary: "Replaces the key of a user.",
    permission,
    answer: newKey,
    refusals: [403, 404],
    run: async ({ caller, param }, { store }) =>
      userAnswer("Key renewed", await renewKey(store, caller, param("id"))),
  }),
];

const conditional = withEntityTags<ManagementTables, ManagementServices>(
  operations.map(({ operation }) => operation),
);

export const userOperations: readonly ManagedOperation[] = operations.map((each, index) => ({
  ...each,
  operation: conditional[index] ?? each.operation,
}));
