// Operations for accounts that developers manage themselves, before they are logged in.

import { RestAnswer, written } from "../../rest/answers.ts";
import type { OperationRequest, RecordSchema } from "../../rest/operation.ts";
import type { Configuration } from "../generated/configuration.ts";
import { chooseLanguage } from "../languages/languages.ts";
import { type InvitationMailer, operation, type PortalOperation, type PortalServices } from "../operation.ts";
import type { SignUpField } from "../page/own-records.ts";
import { beginSession } from "../page/sessions.ts";
import {
  type AccountContext,
  type AccountsOptions,
  askForPassword,
  askToSignUp,
  choosePassword,
  createLinkRequests,
  mailInvitation,
  type SigningUp,
  signUp,
} from "./account-flows.ts";
import { signUpFields } from "./sign-up-fields.ts";

/** The account features that the page offers. */
export interface AccountsSource {
  /** The operations available without a session. */
  readonly operations: readonly PortalOperation[];
  readonly canSignUp: boolean;
  readonly canResetPassword: boolean;
  /** Returns the fields of the sign-up form, from the configuration of the organisation. */
  readonly signUpFieldsOf: (configuration: Configuration) => readonly SignUpField[];
  /** Sends e-mails to invited people; absent if invitation e-mails are off. */
  readonly mailInvitation?: InvitationMailer;
}

const tag = "Entrance";
const token = {
  type: "string",
  minLength: 1,
  maxLength: 100,
  writeOnly: true,
  description: "The token of the link.",
};
const password = { type: "string", minLength: 1, maxLength: 1024, writeOnly: true };

const addressSchema: RecordSchema<{ readonly email: string }> = {
  name: "AskingForLink",
  schema: {
    title: "Address",
    description: "The address to which the link is sent.",
    type: "object",
    additionalProperties: false,
    required: ["email"],
    properties: { email: { type: "string", minLength: 1, maxLength: 254 } },
  },
};

const signingUpSchema: RecordSchema<SigningUp> = {
  name: "SigningUp",
  schema: {
    title: "Sign-up",
    description: "Data that completes a sign-up.",
    type: "object",
    additionalProperties: false,
    required: ["token", "password"],
    properties: {
      token,
      password,
      fields: {
        type: "object",
        additionalProperties: { type: "string" },
        description: "Answers to the fields that the configuration defines in `signup_fields`, by name.",
      },
    },
  },
};

const choosingSchema: RecordSchema<Pick<SigningUp, "token" | "password">> = {
  name: "ChoosingPassword",
  schema: {
    title: "Password reset",
    description: "A new password that replaces a forgotten one.",
    type: "object",
    additionalProperties: false,
    required: ["token", "password"],
    properties: { token, password },
  },
};

/** The response is the same whether or not there is an account. */
const sent = "If this address can be used, an e-mail with a link is on its way to it.";
const sentAnswer = {
  kind: "written",
  message: "The same text, whether an e-mail is sent or not.",
} as const;

/** Returns the account features that the `accounts` block of a portal enables. */
export function portalAccounts(options: AccountsOptions): AccountsSource {
  const {
    sign_up: canSignUp = false,
    password_reset: canResetPassword = true,
    invitations: mailsInvitations = true,
  } = options;
  const requests = createLinkRequests();
  const contextOf = (services: PortalServices): AccountContext => ({ services, options, requests });
  const signingUp: readonly PortalOperation[] = [
    operation({
      method: "POST",
      path: "/sign-up",
      operationId: "askToSignUp",
      tag,
      summary: "Sends a sign-up link to an address that has no account yet.",
      body: { record: addressSchema },
      answer: sentAnswer,
      refusals: [403, 429],
      async run(request, services) {
        await askToSignUp(contextOf(services), { ...request.body, ...readerOf(request, services) });
        return written(sent);
      },
    }),
    operation({
      method: "POST",
      path: "/sign-up/complete",
      operationId: "signUp",
      tag,
      summary:
        "Creates an account with the token of a link, which can be used only once, and logs the developer in.",
      body: { record: signingUpSchema },
      answer: { kind: "written", message: "The developer's e-mail address." },
      refusals: [403, 409],
      async run({ organisation, caller, body }, services) {
        const { developer, isIn } = await signUp(contextOf(services), organisation, body);
        if (!isIn) return written(developer.email);
        const isSecure = caller.isSecure === true;
        const cookie = await beginSession(services.store, organisation, developer, isSecure);
        return new RestAnswer(written(developer.email), { "set-cookie": cookie });
      },
    }),
  ];
  const resetting: readonly PortalOperation[] = [
    operation({
      method: "POST",
      path: "/password/link",
      operationId: "askForPassword",
      tag,
      summary: "Sends a password reset link to an address that has an account.",
      body: { record: addressSchema },
      answer: sentAnswer,
      refusals: [429],
      async run(request, services) {
        await askForPassword(contextOf(services), { ...request.body, ...readerOf(request, services) });
        return written(sent);
      },
    }),
    operation({
      method: "POST",
      path: "/password/choose",
      operationId: "choosePassword",
      tag,
      summary:
        "Resets the password of an account with the token of a link, which can be used only once. Sessions end.",
      body: { record: choosingSchema },
      answer: { kind: "written", message: "`Password changed`." },
      refusals: [409],
      async run({ organisation, body }, services) {
        await choosePassword(contextOf(services), organisation, body);
        return written("Password changed");
      },
    }),
  ];
  const readerOf = (request: Pick<OperationRequest, "caller" | "header">, { languages }: PortalServices) => ({
    caller: request.caller,
    language: chooseLanguage(languages, request.header("accept-language"), undefined),
  });
  return {
    operations: [...(canSignUp ? signingUp : []), ...(canResetPassword ? resetting : [])],
    canSignUp,
    canResetPassword,
    signUpFieldsOf: signUpFields,
    ...(mailsInvitations && {
      mailInvitation: (services, ...invited) => mailInvitation(services, options, ...invited),
    }),
  };
}
