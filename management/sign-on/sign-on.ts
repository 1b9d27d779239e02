// Single sign-on for the page of the service. The groups in the ID token determine a person's permissions.

import type { IncomingMessage } from "node:http";
import type { ManagementSettings } from "../../compiler/index.ts";
import type { ChainStep } from "../../runtime/http/call.ts";
import { hostCookie, readCookie, writeCookie } from "../../runtime/http/cookies.ts";
import { sendPageFile, textFile } from "../../runtime/http/page-file.ts";
import type { Logger } from "../../runtime/process/log.ts";
import { isOtherSite } from "../../runtime/rest/access.ts";
import { refusal } from "../../runtime/rest/answers.ts";
import { factsOf, hashRules, type SignOnHost, withSignOn } from "../../runtime/sign-on/host.ts";
import { completeSettings, findRule, groupsOf } from "../../runtime/sign-on/settings.ts";
import { signOnStep } from "../../runtime/sign-on/sign-on.ts";
import type { Principal } from "../access/access.ts";
import { pageHtml } from "../page/page-html.ts";
import type { ManagementStore } from "../store/tables.ts";
import { isEnvironmentName, readGrants, readPermissions } from "../users/users.ts";
import { dropEndedSessions, dropSession, findKeptSession, keepSession } from "./sessions.ts";

/** The `single_sign_on` block, and the secret of the client. */
export interface ServiceSignOnSettings extends NonNullable<ManagementSettings["single_sign_on"]> {
  readonly secret: string;
}

/** The dependencies of single sign-on. */
export interface ServiceSignOnContext {
  /** The organisation of rules without one. */
  readonly organisation: string;
  readonly store: ManagementStore;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Started single sign-on. */
export interface ServiceSignOn {
  /** A step before the page, which passes on requests that it does not handle. */
  readonly step: ChainStep;
  /** Returns the person in the session of a request. */
  find(request: IncomingMessage): Promise<Principal | undefined>;
}

/** Creates the single sign-on of a service. */
export function createServiceSignOn(
  { secret, ...settings }: ServiceSignOnSettings,
  context: ServiceSignOnContext,
): ServiceSignOn {
  const host = hostOf(settings, context);
  const { log, signal } = context;
  const signOn = signOnStep({ settings, secret, host, log, signal });
  const { name } = completeSettings(settings);
  const document = withSignOn(pageHtml, { name, passwords: settings.keys ?? true });
  const file = textFile("text/html; charset=utf-8", document);
  return {
    step(call) {
      const { path, transport, verb, request } = call;
      if (path.segments.join("/") !== "" || transport.kind !== "http") return signOn(call);
      if (verb !== "GET" && verb !== "HEAD") return "next";
      return sendPageFile(file, request, transport.response).then(() => "done");
    },
    find: host.principalOf,
  };
}

function hostOf(
  settings: Omit<ServiceSignOnSettings, "secret">,
  { organisation: own, store }: ServiceSignOnContext,
): SignOnHost & { principalOf(request: IncomingMessage): Promise<Principal | undefined> } {
  const { issuer, roles } = settings;
  const { claim, url } = completeSettings(settings);
  const cookie = hostCookie("management_session", url.startsWith("https:"));
  /** Returns the cookie for both the page and the API. */
  const cookieOf = (value: string, maxAge: number, isSecure: boolean) =>
    writeCookie(cookie, value, { path: "/", maxAge, sameSite: "Strict", isSecure });
  const rules_hash = hashRules(settings, roles, own);
  const principalOf = async (request: IncomingMessage): Promise<Principal | undefined> => {
    const token = readCookie(request.headers.cookie ?? "", cookie);
    if (token === undefined || isOtherSite(request, new URL(url).host)) return undefined;
    const row = await findKeptSession(store, token, rules_hash);
    return (
      row && {
        organisation: row.org_id,
        name: row.name,
        id: row.subject,
        permissions: new Set(readPermissions(row.permissions)),
        grants: readGrants(row.apis),
      }
    );
  };
  return {
    principalOf,
    purpose: "management",
    path: "/sign-in",
    home: "/",
    async begin(session) {
      const rule = findRule(roles, groupsOf(session.claims, claim));
      if (rule === undefined) return refusal(403, "None of your groups may use this service.");
      const { lifetime, isSecure } = session;
      const facts = factsOf(session);
      const token = await keepSession(store, {
        ...facts,
        name: auditName(facts.name),
        rules_hash,
        org_id: rule.organisation ?? own,
        permissions: JSON.stringify(rule.permissions ?? []),
        apis: JSON.stringify(rule.apis ?? []),
      });
      return [cookieOf(token, Math.floor(lifetime / 1000), isSecure)];
    },
    async find(request) {
      const principal = await principalOf(request);
      return principal && { role: "user", name: principal.name };
    },
    async end(request, isSecure) {
      const token = readCookie(request.headers.cookie ?? "", cookie);
      const idToken = token === undefined ? undefined : await dropSession(store, token);
      return { cookies: [cookieOf("", 0, isSecure)], idToken };
    },
    endAll: (ended) => dropEndedSessions(store, issuer, ended),
  };
}

/** Returns a name for the audit log: short, without control characters, and distinct from keys of the environment. */
function auditName(text: string): string {
  const plain = text
    .normalize("NFKC")
    .replaceAll(/[\p{C}\s]+/gu, " ")
    .trim()
    .slice(0, 200);
  return isEnvironmentName(plain) ? `person ${plain}` : plain;
}
