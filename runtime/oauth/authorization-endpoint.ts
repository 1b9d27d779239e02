// The endpoint `/oauth/authorize`: a user of the gateway authorizes a client, which gets a code (RFC 6749, section 4.1;
// RFC 7636; RFC 9700). Users enter their password for each authorization: there is no session that other pages could
// abuse.

import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { GatewayScope, Scoped } from "../component/gateway-scope.ts";
import { GatewayError } from "../errors.ts";
import { toAnswerable } from "../http/answer.ts";
import type { Call, ChainStep, StepResult } from "../http/call.ts";
import type { Keys } from "../keys/keys.ts";
import { passwordWork } from "../keys/password-work.ts";
import {
  createLoginAttempts,
  type LoginAttempt,
  type LoginAttempts,
  type LoginLimits,
} from "../logins/login-attempts.ts";
import type { Logger } from "../process/log.ts";
import { consentPage, failurePage } from "./authorization-page.ts";
import { type AuthorizationRequest, readAuthorization } from "./authorization-request.ts";
import type { ClientStore } from "./clients.ts";
import { readForm } from "./form.ts";
import { OauthError } from "./oauth-error.ts";
import { createToken, hashToken, type TokenStore } from "./tokens.ts";

/** The dependencies of the endpoints for users, available when the gateway starts. */
export interface AuthorizationContext {
  readonly log: Logger;
  readonly tokens: TokenStore;
  readonly clients: ClientStore;
  /** The scope that the APIs of the gateway share; absent only in a server without users. */
  readonly gateway?: GatewayScope;
  /** The users. Without them, every password is wrong. */
  readonly keys?: Keys;
}

/** Creates the step that handles requests for `/oauth/authorize`. */
export type AuthorizationEndpoint = (context: AuthorizationContext) => ChainStep;

/**
 * Lifetime of a code in milliseconds. Clients exchange it immediately (RFC 6749, section 4.1.2: ten minutes at most).
 */
const codeLifetime = 60_000;

/** The limits on logins. People mistype, and several may share an address. */
const loginLimits: LoginLimits = { period: 15 * 60_000, ofAccount: 10, ofAddress: 100 };

/** Serves the page on which users authorize clients, and handles their decision. */
export const authorizationEndpoint: AuthorizationEndpoint = (context) => {
  const verifyUser = userTest(context);
  return (call) => {
    const { verb, transport } = call;
    if (transport.kind !== "http" || !["GET", "HEAD", "POST"].includes(verb))
      return new GatewayError(405, "Method not allowed", { headers: { allow: "GET, HEAD, POST" } });
    return answer(call, transport.response, { ...context, verifyUser }).catch((error: unknown) =>
      toAnswerable(error, context.log),
    );
  };
};

interface EndpointContext extends AuthorizationContext {
  readonly verifyUser: UserTest;
}

async function answer(call: Call, response: ServerResponse, context: EndpointContext): Promise<StepResult> {
  const authorization = await readAuthorization(call.url.searchParams, context.clients);
  if (authorization.kind === "unknown") return sendPage(response, 400, failurePage(authorization.reason));
  if (authorization.kind === "refused")
    return redirect(response, call, authorization, {
      error: authorization.error,
      error_description: authorization.reason,
    });
  if (call.verb !== "POST") return sendPage(response, 200, consentPage(authorization), call.verb);
  if (!isOwnPage(call)) return sendPage(response, 403, failurePage("The form was sent by another page."));
  const form = await readForm(call.request, response);
  if (form instanceof OauthError) return sendPage(response, form.status, failurePage(form.description));
  if (form.get("decision") !== "allow")
    return redirect(response, call, authorization, {
      error: "access_denied",
      error_description: "The user denied the request",
    });
  const [name = "", password = ""] = [form.get("username"), form.get("password")];
  const verdict = await context.verifyUser(name, password, call.remoteAddress);
  if (verdict === "wrong")
    return sendPage(
      response,
      403,
      consentPage(authorization, { error: "The user name or the password is wrong.", user: name }),
    );
  if (typeof verdict === "number") {
    const error = `Too many failed logins. Try again in ${verdict} seconds.`;
    const page = consentPage(authorization, { error, user: name });
    return sendPage(response, 429, page, "POST", { "retry-after": String(verdict) });
  }
  const code = await issueCode(authorization, name, context);
  return redirect(
    response,
    call,
    authorization,
    code === undefined ? { error: "temporarily_unavailable" } : { code },
  );
}

/** Whether a form was sent by the server's own page, according to the browser's headers. */
export function isOwnPage({ request: { headers }, url }: Pick<Call, "request" | "url">): boolean {
  const { origin, "sec-fetch-site": site } = headers;
  if (origin !== undefined) return origin === url.origin;
  return site === undefined || site === "same-origin" || site === "none";
}

/** Verifies a user's password; returns the seconds to wait after too many failures. Unknown users take equally long. */
export type UserTest = (
  name: string,
  password: string,
  address: string,
) => Promise<"right" | "wrong" | number>;

/** Login attempts, counted together for all pages of a gateway on which users enter their password. */
const scopedLogins: Scoped<LoginAttempts> = { create: () => createLoginAttempts(loginLimits) };

/** Returns a function that verifies the users of a gateway. */
export function userTest({ keys, gateway }: Pick<AuthorizationContext, "keys" | "gateway">): UserTest {
  const passwords = gateway && passwordWork(gateway, "portal");
  const logins = gateway?.get(scopedLogins) ?? createLoginAttempts(loginLimits);

  /** Rejects if this cannot be determined now. */
  async function verify(name: string, password: string, attempt: LoginAttempt) {
    const user = await keys?.findUser(name);
    const isRight = await passwords?.of(attempt).verify(password, user?.record.basic_auth_data?.password);
    if (isRight instanceof GatewayError) throw isRight;
    return { user, isRight };
  }

  return async (name, password, address) => {
    const attempt = logins.begin(name, address);
    if (typeof attempt === "number") return attempt;
    const { user, isRight } = await verify(name, password, attempt).catch((error: unknown) => {
      attempt.unverified();
      throw error;
    });
    const { isInactive = true, expires = Number.POSITIVE_INFINITY } = user?.session ?? {};
    if (isRight !== true || isInactive || expires * 1000 <= Date.now()) return "wrong";
    attempt.right();
    return "right";
  };
}

/** Returns a code for the client; `undefined` if the store cannot keep any more. */
async function issueCode(
  { client, scopes, redirectUri, challenge }: AuthorizationRequest,
  user: string,
  { tokens }: EndpointContext,
): Promise<string | undefined> {
  const [code, issued] = [createToken(), Date.now()];
  const kept = await tokens.keepCode({
    hash: hashToken(code),
    grant: {
      client: client.client_id,
      user,
      scopes,
      family: randomUUID(),
      issued,
      expires: issued + codeLifetime,
      code: { redirectUri, challenge },
    },
  });
  return kept === "kept" ? code : undefined;
}

/** Redirects with 303, so that the browser drops the form (RFC 9700, section 4.12), and with `iss` (RFC 9207). */
function redirect(
  response: ServerResponse,
  { url }: Call,
  { redirectUri, state }: Pick<AuthorizationRequest, "redirectUri" | "state">,
  parameters: Readonly<Record<string, string>>,
): StepResult {
  const target = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters)) target.searchParams.append(name, value);
  if (state !== undefined) target.searchParams.append("state", state);
  target.searchParams.append("iss", url.origin);
  response
    .writeHead(303, {
      location: target.href,
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "content-length": 0,
    })
    .end();
  return "done";
}

/** Sends a page that other pages cannot frame and caches do not store. */
export function sendPage(
  response: ServerResponse,
  status: number,
  { html, policy }: { readonly html: string; readonly policy: string },
  verb: IncomingMessage["method"] = "GET",
  headers: Readonly<Record<string, string>> = {},
): StepResult {
  response
    .writeHead(status, {
      "content-type": "text/html; charset=utf-8",
      "content-length": Buffer.byteLength(html),
      "content-security-policy": policy,
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "referrer-policy": "same-origin",
      "cache-control": "no-store",
      ...headers,
    })
    .end(verb === "HEAD" ? undefined : html);
  return "done";
}
