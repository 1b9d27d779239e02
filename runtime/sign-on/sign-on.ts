// Signing in at a provider of OpenID Connect, as a step of a server: the way there, the way back, and the end.

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

/** What the step is made of. */
export interface SignOnOptions {
  readonly settings: SignOnSettings;
  /** Of the client at the provider. */
  readonly secret: string;
  readonly host: SignOnHost;
  readonly log: Logger;
  /** Aborted when the server closes. */
  readonly signal: AbortSignal;
}

/** Exchanges with the provider at once; further ones wait, up to as many again. */
const mostExchanges = 16;

interface SignOn extends Pick<SignOnOptions, "host" | "log"> {
  readonly settings: Required<SignOnSettings>;
  readonly provider: Provider;
  readonly seal: Seal;
  /** Addresses take turns, since strangers may send what looks like an answer of the provider, or a logout token. */
  readonly exchanges: FairSemaphore;
  /** Apart from the sign-ins. */
  readonly logouts: FairSemaphore;
  readonly cookie: string;
  readonly isSecure: boolean;
}

type Answer = (signOn: SignOn, call: Call, response: ServerResponse) => Promise<StepResult>;

/** Serves what lies at and below the host's `path`, and passes everything else on. */
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
  ["session", { verb: "GET", give: tellSession }],
  ["end", { verb: "POST", give: signOut }],
  ["back-channel", { verb: "POST", give: endByProvider }],
]);

/** Sends the browser to the provider, and has it carry what the answer must match. */
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

/** Takes the answer of the provider, once, from the browser that was sent there. */
async function comeBack(signOn: SignOn, call: Call, response: ServerResponse): Promise<StepResult> {
  const { host, provider, seal, settings, exchanges, isSecure, log } = signOn;
  const sealed = readCookie(call.request.headers.cookie ?? "", signOn.cookie);
  const pending = sealed === undefined ? undefined : seal.open(sealed);
  const answer = new URLSearchParams(call.query);
  // Without it an attacker may have begun the sign-in, to sign this browser in as another person.
  if (pending === undefined || answer.get("state") !== pending.state)
    return sayNo(signOn, response, 400, "This sign-in was not begun in this browser, or it took too long.");
  const exchanged = await exchanges
    .use(networkOf(call.remoteAddress), () => provider.exchange(answer, pending))
    .catch((error: unknown) => reasonOf(error));
  if (exchanged === undefined) return sayNo(signOn, response, 503, "Too many people sign in at this moment.");
  if (typeof exchanged === "string") {
    log.warn("sign-in failed", { reason: exchanged });
    return sayNo(signOn, response, 403, "The provider did not sign you in, or its answer does not hold.");
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

/** Errors that say something to the person; whatever else went wrong stays an error. */
function toAnswer(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  throw error;
}

/** Tells the page who has a session. */
async function tellSession(signOn: SignOn, { request }: Call, response: ServerResponse): Promise<StepResult> {
  if (isFromElsewhere(signOn, request)) return new GatewayError(403, "This is not allowed.");
  const person = await signOn.host.find(request);
  return tellPage(response, { role: person?.role ?? null, name: person?.name ?? null });
}

/**
 * Ends the session here, and tells the page where it ends at the provider (RP-Initiated Logout 1.0). No GET, since browsers say
 * of none over plain HTTP which page it is for.
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
  return tellPage(response, { location }, cookies);
}

function isFromElsewhere({ settings }: SignOn, request: IncomingMessage): boolean {
  return isOtherSite(request, new URL(settings.url).host);
}

function tellPage(response: ServerResponse, body: object, cookies: readonly string[] = []): StepResult {
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
      return new GatewayError(503, "Too many logouts at this moment.", { headers: { "retry-after": "1" } });
    await signOn.host.endAll(ended);
    response.writeHead(200, { "cache-control": "no-store" }).end();
  } catch (error) {
    signOn.log.warn("logout of the provider refused", { reason: reasonOf(error) });
    const headers = { "cache-control": "no-store", "content-type": "application/json" };
    response.writeHead(400, headers).end(JSON.stringify({ error: "invalid_request" }));
  }
  return "done";
}

/** A view of the page: nothing that could lead to another page. */
function readView(text: string): string {
  return /^[\w.~%/-]{0,500}$/.test(text) ? text : "";
}

/** Sent back by a link from the provider's page, hence `Lax`. It is sealed, so that other paths may see it. */
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

/** A page for people; whatever was pending is over. */
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

/** For logs: names of errors, and what they say of themselves; none of them quotes a token. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  const { cause } = error;
  const inner = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return `${error.message}${inner}`;
}
