// The step of a server that signs people in at an OpenID Connect provider, and out again.

import type { IncomingMessage, ServerResponse } from "node:http";
import { generateRandomCodeVerifier, generateRandomNonce, generateRandomState } from "oauth4webapi";
import { FairSemaphore } from "../concurrency/semaphore.ts";
import { GatewayError } from "../errors.ts";
import type { Call, ChainStep, StepResult } from "../http/call.ts";
import { hostCookie, readCookie, writeCookie } from "../http/cookies.ts";
import { sameOriginHeaders } from "../http/page-document.ts";
import { hashKey } from "../keys/key-hash.ts";
import { networkOf } from "../logins/login-attempts.ts";
import { noticePage } from "../oauth/authorization-page.ts";
import { readForm } from "../oauth/form.ts";
import { OauthError } from "../oauth/oauth-error.ts";
import type { Logger } from "../process/log.ts";
import { isOtherSite } from "../rest/access.ts";
import type { SignOnHost } from "./host.ts";
import { createSeal, pendingLifetime, type Seal } from "./pending.ts";
import { createProvider, type Provider } from "./provider.ts";
import { completeSettings, type SignOnSettings } from "./settings.ts";

/** The dependencies of the step. */
export interface SignOnOptions {
  readonly settings: SignOnSettings;
  /** The secret of the client at the provider. */
  readonly secret: string;
  readonly host: SignOnHost;
  readonly log: Logger;
  /** Aborted when the server closes. */
  readonly signal: AbortSignal;
}

/** The maximum number of concurrent exchanges with the provider. The same number of further ones may wait. */
const mostExchanges = 16;

interface SignOn extends Pick<SignOnOptions, "host" | "log"> {
  readonly settings: Required<SignOnSettings>;
  readonly provider: Provider;
  readonly seal: Seal;
  /** Addresses take turns, because anyone can send a forged provider response or logout token. */
  readonly exchanges: FairSemaphore;
  /** Separate from sign-ins. */
  readonly logouts: FairSemaphore;
  readonly cookie: string;
  readonly isSecure: boolean;
}

type Answer = (signOn: SignOn, call: Call, response: ServerResponse) => Promise<StepResult>;

/** Creates the step that serves the host's `path` and the paths below it. Passes other requests on. */
export function signOnStep({ settings: written, secret, host, log, signal }: SignOnOptions): ChainStep {
  const settings = completeSettings(written);
  const redirectUri = `${settings.url}${host.path}/callback`;
  const isSecure = settings.url.startsWith("https:");
  const signOn: SignOn = {
    settings,
    host,
    log: log.with({ issuer: settings.issuer }),
    provider: createProvider({ settings, secret, redirectUri, signal }),
    seal: createSeal(secret, host.purpose, settings.issuer, settings.client_id),
    exchanges: new FairSemaphore(mostExchanges, mostExchanges),
    logouts: new FairSemaphore(mostExchanges, mostExchanges),
    cookie: hostCookie(`${host.purpose}_sign_in`, isSecure),
    isSecure,
  };
  const base = host.path.slice(1).split("/");
  return async (call) => {
    const { segments } = call.path;
    if (base.some((segment, place) => segments[place] !== segment)) return "next";
    const answer = answers.get(segments.slice(base.length).join("/"));
    const { transport, verb } = call;
    if (transport.kind !== "http" || answer === undefined) return new GatewayError(404, "not found");
    if (verb !== answer.verb)
      return new GatewayError(405, "Method not allowed", { headers: { allow: answer.verb } });
    return answer.give(signOn, call, transport.response);
  };
}

const answers: ReadonlyMap<string, { readonly verb: string; readonly give: Answer }> = new Map([
  ["", { verb: "GET", give: leaveForProvider }],
  ["callback", { verb: "GET", give: comeBack }],
  ["session", { verb: "GET", give: answerSession }],
  ["end", { verb: "POST", give: signOut }],
  ["back-channel", { verb: "POST", give: endByProvider }],
]);

/** Redirects the browser to the provider, with a cookie that contains the data the response has to match. */
async function leaveForProvider(signOn: SignOn, call: Call, response: ServerResponse): Promise<StepResult> {
  const { provider, seal } = signOn;
  const pending = {
    state: generateRandomState(),
    nonce: generateRandomNonce(),
    verifier: generateRandomCodeVerifier(),
    view: readView(new URLSearchParams(call.query).get("view") ?? ""),
    expires: Date.now() + pendingLifetime,
  };
  try {
    const url = await provider.authorizationUrl(pending);
    const cookie = pendingCookie(signOn, seal.seal(pending), pendingLifetime / 1000);
    return sendOn(response, url.href, [cookie]);
  } catch (error) {
    return notReached(signOn, response, error);
  }
}

/** Handles the response of the provider, once, from the browser that started the sign-in. */
async function comeBack(signOn: SignOn, call: Call, response: ServerResponse): Promise<StepResult> {
  const { host, provider, seal, settings, exchanges, isSecure, log } = signOn;
  const sealed = readCookie(call.request.headers.cookie ?? "", signOn.cookie);
  const pending = sealed === undefined ? undefined : seal.open(sealed);
  const answer = new URLSearchParams(call.query);
  // Otherwise an attacker could start the sign-in, to sign this browser in as another person.
  if (pending === undefined || answer.get("state") !== pending.state)
    return sayNo(signOn, response, 400, "This sign-in was not started in this browser, or it took too long.");
  const exchanged = await exchanges
    .use(networkOf(call.remoteAddress), () => provider.exchange(answer, pending))
    .catch((error: unknown) => reasonOf(error));
  if (exchanged === undefined) return sayNo(signOn, response, 503, "Too many sign-ins at the moment.");
  if (typeof exchanged === "string") {
    log.warn("sign-in failed", { reason: exchanged });
    return sayNo(signOn, response, 403, "The provider did not sign you in, or its response is invalid.");
  }
  const stateHash = hashKey(pending.state);
  const session = { ...exchanged, stateHash, lifetime: settings.session, isSecure };
  const begun = await host.begin(session).catch(toAnswer);
  if (begun instanceof GatewayError) {
    log.warn("sign-in refused", { subject: exchanged.claims.sub, reason: begun.message });
    return sayNo(signOn, response, begun.status, begun.message);
  }
  return sendOn(response, `${host.home}#/${pending.view}`, [...begun, pendingCookie(signOn, "", 0)]);
}

/** Returns errors that have a message for the person, and throws other ones again. */
function toAnswer(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  throw error;
}

/** Reports to the page who is signed in. */
async function answerSession(
  signOn: SignOn,
  { request }: Call,
  response: ServerResponse,
): Promise<StepResult> {
  if (isFromElsewhere(signOn, request)) return new GatewayError(403, "This is not allowed.");
  const person = await signOn.host.find(request);
  return answerPage(response, { role: person?.role ?? null, name: person?.name ?? null });
}

/**
 * Ends the session and returns the URL at which the page ends it at the provider (RP-Initiated Logout 1.0). It is not a
 * GET, because over plain HTTP browsers do not report which page sends a GET.
 */
async function signOut(signOn: SignOn, { request }: Call, response: ServerResponse): Promise<StepResult> {
  const { host, provider, settings, isSecure } = signOn;
  if (isFromElsewhere(signOn, request)) return new GatewayError(403, "This is not allowed.");
  const { cookies, idToken } = await host.end(request, isSecure);
  const home = `${settings.url}${host.home}`;
  let location = host.home;
  try {
    const url = idToken === undefined ? undefined : await provider.endSessionUrl(idToken, home);
    location = url?.href ?? location;
  } catch (error) {
    signOn.log.warn("the provider cannot be reached", { reason: reasonOf(error) });
  }
  return answerPage(response, { location }, cookies);
}

function isFromElsewhere({ settings }: SignOn, request: IncomingMessage): boolean {
  return isOtherSite(request, new URL(settings.url).host);
}

function answerPage(response: ServerResponse, body: object, cookies: readonly string[] = []): StepResult {
  const headers = { ...sameOriginHeaders, "cache-control": "no-store", "content-type": "application/json" };
  response.writeHead(200, { ...headers, "set-cookie": [...cookies] }).end(JSON.stringify(body));
  return "done";
}

/** Ends sessions that the provider has ended (Back-Channel Logout 1.0, section 2.8). */
async function endByProvider(
  signOn: SignOn,
  { request, remoteAddress }: Call,
  response: ServerResponse,
): Promise<StepResult> {
  const form = await readForm(request, response);
  const token = form instanceof OauthError ? undefined : form.get("logout_token");
  try {
    if (token === undefined) throw new TypeError("there is no logout token");
    const ended = await signOn.logouts.use(networkOf(remoteAddress), () => signOn.provider.readLogout(token));
    if (ended === undefined)
      return new GatewayError(503, "Too many logouts at the moment.", { headers: { "retry-after": "1" } });
    await signOn.host.endAll(ended);
    response.writeHead(200, { "cache-control": "no-store" }).end();
  } catch (error) {
    signOn.log.warn("logout of the provider refused", { reason: reasonOf(error) });
    const headers = { "cache-control": "no-store", "content-type": "application/json" };
    response.writeHead(400, headers).end(JSON.stringify({ error: "invalid_request" }));
  }
  return "done";
}

/** Returns the view of the page; empty if the text could lead to another page. */
function readView(text: string): string {
  return /^[\w.~%/-]{0,500}$/.test(text) ? text : "";
}

/** The cookie is `Lax` because the provider's page links back here. It is encrypted, so other paths may receive it. */
function pendingCookie({ cookie, isSecure }: SignOn, value: string, maxAge: number): string {
  return writeCookie(cookie, value, { path: "/", maxAge, sameSite: "Lax", isSecure });
}

function sendOn(response: ServerResponse, location: string, cookies: readonly string[]): StepResult {
  const headers = { ...sameOriginHeaders, "cache-control": "no-store", location, "set-cookie": [...cookies] };
  response.writeHead(303, headers).end();
  return "done";
}

function notReached(signOn: SignOn, response: ServerResponse, error: unknown): StepResult {
  signOn.log.warn("the provider cannot be reached", { reason: reasonOf(error) });
  return sayNo(signOn, response, 503, "The provider cannot be reached. Try again later.");
}

/** Sends a page for people that explains the failure, and deletes the pending sign-in. */
function sayNo(signOn: SignOn, response: ServerResponse, status: number, reason: string): StepResult {
  const { html, policy } = noticePage("You are not signed in", reason, {
    text: "Back to the page",
    address: signOn.host.home,
  });
  const headers = {
    ...sameOriginHeaders,
    "cache-control": "no-store",
    "content-security-policy": policy,
    "content-type": "text/html; charset=utf-8",
    "set-cookie": pendingCookie(signOn, "", 0),
  };
  response.writeHead(status, headers).end(html);
  return "done";
}

/** Returns the names and messages of errors, for logs. They contain no tokens. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  const { cause } = error;
  const inner = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return `${error.message}${inner}`;
}
