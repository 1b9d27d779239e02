// Logging in and out: what can be asked without being anybody yet.

import { RestAnswer, refusal, written } from "../../rest/answers.ts";
import { changePassword, verifyCredentials } from "../developers/log-in.ts";
import { operation, type PortalOperation } from "../operation.ts";
import { changingSchema, loggingInSchema } from "./own-records.ts";
import { beginSession, endSession } from "./sessions.ts";

const tag = "Entrance";

/** Operations for everybody; guessing is bounded for each name. */
export const entranceOperations: readonly PortalOperation[] = [
  operation({
    method: "POST",
    path: "/login",
    operationId: "logIn",
    tag,
    summary: "Lets a developer in; the answer sets a cookie.",
    body: { record: loggingInSchema },
    answer: { kind: "written", message: "The developer's e-mail address." },
    refusals: [403, 429],
    async run({ organisation, caller, body }, services) {
      const login = await verifyCredentials(services, caller, body);
      if (login.outcome === "refused") throw refusal(401, "Not authorised");
      if (login.outcome === "expired") throw refusal(403, "The password is too old; change it first.");
      const { developer } = login;
      const isSecure = caller.isSecure === true;
      const cookie = await beginSession(services.store, organisation, developer, isSecure);
      return new RestAnswer(written(developer.email), { "set-cookie": cookie });
    },
  }),
  operation({
    method: "DELETE",
    path: "/login",
    operationId: "logOut",
    tag,
    summary: "Ends the session, where there is one.",
    answer: { kind: "written", message: "`Logged out`." },
    async run({ caller, header }, { store }) {
      const cookie = await endSession(store, header("cookie") ?? "", caller.isSecure === true);
      return new RestAnswer(written("Logged out"), { "set-cookie": cookie });
    },
  }),
  operation({
    method: "POST",
    path: "/password",
    operationId: "changeOwnPassword",
    tag,
    summary: "Changes a password, also one that is too old to log in with; sessions end by it.",
    body: { record: changingSchema },
    answer: { kind: "written", message: "`Password changed`." },
    refusals: [429],
    async run({ organisation, caller, body }, services) {
      const login = await verifyCredentials(services, caller, body);
      if (login.outcome === "refused") throw refusal(401, "Not authorised");
      await changePassword(services, organisation, login.developer.id ?? "", body.new_password);
      return written("Password changed");
    },
  }),
];
