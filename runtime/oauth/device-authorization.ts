// Devices without a keyboard get tokens (RFC 8628): they show a code, and a user of the gateway enters it at
// `/oauth/device`, where it proves itself and decides. The device asks the token endpoint until then.

import { randomInt, randomUUID } from "node:crypto";
import { GatewayError } from "../errors.ts";
import { toAnswerable } from "../http/answer.ts";
import type { Call, ChainStep, StepResult } from "../http/call.ts";
import { createLoginAttempts, type LoginAttempts, type LoginLimits } from "../logins/login-attempts.ts";
import {
  type AuthorizationContext,
  isOwnPage,
  sendPage,
  type UserTest,
  userTest,
} from "./authorization-endpoint.ts";
import { type AuthorizationPage, codePage, devicePage, donePage, failurePage } from "./authorization-page.ts";
import type { OauthClient } from "./clients.ts";
import { type Form, readForm } from "./form.ts";
import { OauthError } from "./oauth-error.ts";
import { narrowScopes, type OauthAnswer, takeOwn } from "./token-endpoint.ts";
import { createToken, type DeviceBinding, type Grant, hashToken, type TokenStore } from "./tokens.ts";

/** Milliseconds in which a user has to decide. */
const lifetime = 600_000;
/** Milliseconds that a code is known longer, so that its device learns why it ended. */
const remembered = 600_000;
/** Milliseconds between requests of a device, and by how much it has to slow down each time that it comes sooner. */
const interval = 5_000;
/** Codes of a client that wait for their users at a time: no client fills the memory alone. */
const mostOfClient = 1_000;

/**
 * Wrong codes of an address. An address tries 40 of 25 billion codes while one holds: where a thousand devices wait, it finds
 * one of them with a chance of one in 600,000, and gives it no rights but its own.
 */
const guessLimits: LoginLimits = { period: 15 * 60_000, ofAccount: 20, ofAddress: 20 };

/** Consonants, which spell no words, without those that look like others (RFC 8628, section 6.1). */
const letters = "BCDFGHJKLMNPQRSTVWXZ";
const codeLength = 8;

/** When a device may come again. */
interface Polling {
  next: number;
  interval: number;
  readonly until: number;
}

/** What a server of tokens does for devices. */
export interface DeviceServer {
  /** `POST /oauth/device_authorization`, of an authenticated client. */
  begin(client: OauthClient, form: Form, call: Call): Promise<OauthAnswer | OauthError>;
  /** What a device code was allowed for, which is then used up; a refusal as long as it was not. */
  exchange(client: OauthClient, form: Form): Promise<Grant | OauthError>;
  /** `/oauth/device`, for users. */
  page(context: AuthorizationContext): ChainStep;
}

/** Makes what serves devices; codes are kept in `tokens`. */
export type DeviceAuthorization = (tokens: TokenStore) => DeviceServer;

/** Serves clients that may ask for devices. */
export const deviceAuthorization: DeviceAuthorization = (tokens) => {
  const waiting = new Map<string, Map<string, Polling>>();

  /** The device codes of a client that still wait, as far as this process has met them. */
  function waitingOf(client: string): Map<string, Polling> {
    const own = waiting.get(client) ?? new Map<string, Polling>();
    const now = Date.now();
    for (const [hash, { until }] of own) if (until <= now) own.delete(hash);
    waiting.set(client, own);
    return own;
  }

  /** Whether a device comes sooner than it was told to. */
  function isHasty(client: string, hash: string, until: number): boolean {
    const own = waitingOf(client);
    const now = Date.now();
    const polling = own.get(hash) ?? { next: 0, interval, until };
    const isTooSoon = now < polling.next;
    if (isTooSoon) polling.interval += interval;
    // Networks and timers of devices are not exact to the second.
    polling.next = now + polling.interval - 1_000;
    own.set(hash, polling);
    return isTooSoon;
  }

  return {
    async begin(client, form, { url }) {
      if (client.device_authorization !== true)
        return new OauthError("unauthorized_client", "The client may not ask for devices");
      const scopes = narrowScopes(client.scopes ?? [], form);
      if (scopes instanceof OauthError) return scopes;
      const own = waitingOf(client.client_id);
      if (own.size >= mostOfClient) return tooMany();
      const [deviceCode, userCode, issued] = [createToken(), createUserCode(), Date.now()];
      const [hash, until] = [hashToken(deviceCode), issued + lifetime];
      const grant = {
        client: client.client_id,
        scopes,
        family: randomUUID(),
        issued,
        expires: until + remembered,
      };
      const pending: DeviceBinding = { stage: "pending", until };
      const asked: DeviceBinding = { stage: "asked", until, deviceCode: hash };
      const kept = [
        await tokens.keepCode({ hash, grant: { ...grant, device: pending } }),
        await tokens.keepCode({
          hash: hashUserCode(userCode),
          grant: { ...grant, expires: until, device: asked },
        }),
      ];
      if (kept.some((each) => each !== "kept")) return tooMany();
      own.set(hash, { next: 0, interval, until });
      const shown = `${userCode.slice(0, 4)}-${userCode.slice(4)}`;
      const address = `${url.origin}/oauth/device`;
      return {
        device_code: deviceCode,
        user_code: shown,
        verification_uri: address,
        verification_uri_complete: `${address}?user_code=${shown}`,
        expires_in: lifetime / 1_000,
        interval: interval / 1_000,
      };
    },

    async exchange(client, form) {
      const presented = form.get("device_code");
      if (presented === undefined) return new OauthError("invalid_request", "`device_code` is missing");
      const hash = hashToken(presented);
      const known = await tokens.findRefresh(hash);
      const device = known?.client === client.client_id ? known.device : undefined;
      if (known !== undefined && device === undefined) return notHeld();
      if (device !== undefined && device.until <= Date.now())
        return new OauthError("expired_token", "The device code has expired");
      if (device?.stage === "denied") return new OauthError("access_denied", "The user did not allow it");
      if (device?.stage === "pending")
        return isHasty(client.client_id, hash, device.until)
          ? new OauthError("slow_down", "The device asks too often: wait 5 seconds longer from now on")
          : new OauthError("authorization_pending", "The user has not decided yet");
      const taken = await takeOwn(client, hash, known, tokens);
      waiting.get(client.client_id)?.delete(hash);
      return taken?.device?.stage === "allowed" ? taken : notHeld();
    },

    page(context) {
      const guesses = createLoginAttempts(guessLimits);
      const verifyUser = userTest(context);
      return (call) => {
        const { verb, transport } = call;
        if (transport.kind !== "http" || !["GET", "HEAD", "POST"].includes(verb))
          return new GatewayError(405, "Method not allowed", { headers: { allow: "GET, HEAD, POST" } });
        const send = (status: number, page: AuthorizationPage, headers = {}) =>
          sendPage(transport.response, status, page, verb, headers);
        const form = () => readForm(call.request, transport.response);
        return answer(call, { ...context, guesses, verifyUser, send, form }).catch((error: unknown) =>
          toAnswerable(error, context.log),
        );
      };
    },
  };
};

interface PageContext extends AuthorizationContext {
  readonly guesses: LoginAttempts;
  readonly verifyUser: UserTest;
  form(): ReturnType<typeof readForm>;
  send(status: number, page: AuthorizationPage, headers?: Readonly<Record<string, string>>): StepResult;
}

/** Has the code entered first, so that the user sees what it is for before it proves itself. */
async function answer(call: Call, context: PageContext): Promise<StepResult> {
  const { send } = context;
  const entered = call.url.searchParams.get("user_code") ?? "";
  if (entered === "") return send(200, codePage());
  const asked = await findAsked(entered, call.remoteAddress, context);
  if (typeof asked === "number") return send(429, codePage(waitText(asked)), retryAfter(asked));
  if (asked === undefined)
    return send(404, codePage("No device waits with this code. Compare it with what the device shows."));
  if (call.verb !== "POST") return send(200, devicePage(asked));
  if (!isOwnPage(call)) return send(403, failurePage("The form was sent by another page."));
  const form = await context.form();
  if (form instanceof OauthError) return send(form.status, failurePage(form.description));
  const user = form.get("username") ?? "";
  if (form.get("decision") !== "allow") return decide(asked, undefined, context);
  const verdict = await context.verifyUser(user, form.get("password") ?? "", call.remoteAddress);
  if (verdict === "right") return decide(asked, user, context);
  const error = verdict === "wrong" ? "The user name or the password is wrong." : waitText(verdict);
  const page = devicePage(asked, { error, user });
  return typeof verdict === "number" ? send(429, page, retryAfter(verdict)) : send(403, page);
}

function waitText(seconds: number): string {
  return `Too many failed attempts. Try again in ${seconds} seconds.`;
}

function retryAfter(seconds: number): Readonly<Record<string, string>> {
  return { "retry-after": String(seconds) };
}

/** What a user decides on. */
interface AskedDevice {
  readonly hash: string;
  readonly grant: Grant;
  readonly client: OauthClient;
}

/** What waits with that code; seconds to wait where too many codes of the address were wrong. */
async function findAsked(
  entered: string,
  address: string,
  { tokens, clients, guesses }: PageContext,
): Promise<AskedDevice | undefined | number> {
  const attempt = guesses.begin("", address);
  if (typeof attempt === "number") return attempt;
  try {
    const hash = hashUserCode(entered);
    const grant = await tokens.findRefresh(hash);
    const client = grant?.device?.stage === "asked" ? await clients.findClient(grant.client) : undefined;
    if (grant === undefined || client?.device_authorization !== true || client.is_inactive === true)
      return undefined;
    // One that was right leaves the others counted: codes of one's own devices give no further guesses.
    attempt.unverified();
    return { hash, grant, client };
  } catch (error) {
    attempt.unverified();
    throw error;
  }
}

/** Allows a device to act for `user`, or denies it; of several decisions at once the first counts. */
async function decide(
  { hash }: AskedDevice,
  user: string | undefined,
  { tokens, send }: PageContext,
): Promise<StepResult> {
  const taken = await tokens.takeRefresh(hash);
  const { device } = taken?.grant ?? {};
  if (taken === undefined || taken.wasSpent || device?.stage !== "asked")
    return send(404, codePage("No device waits with this code any more."));
  const grant = { ...taken.grant, expires: device.until + remembered, ...(user !== undefined && { user }) };
  const stage = user === undefined ? "denied" : "allowed";
  const binding: DeviceBinding = { stage, until: device.until };
  const kept = await tokens.keepCode({ hash: device.deviceCode, grant: { ...grant, device: binding } });
  if (kept !== "kept") return send(503, failurePage("The decision cannot be kept now."));
  const [title, text] =
    user === undefined
      ? ["The device was not allowed", "It gets no access. You can close this page."]
      : ["The device is allowed", "Return to it: it goes on within a few seconds."];
  return send(200, donePage(title, text));
}

function createUserCode(): string {
  return Array.from({ length: codeLength }, () => letters[randomInt(letters.length)]).join("");
}

/** People type small letters, spaces and dashes. The word before it keeps it apart from what programs send. */
function hashUserCode(entered: string): string {
  return hashToken(
    `user code ${entered
      .slice(0, 64)
      .toUpperCase()
      .replace(/[^A-Z]/g, "")}`,
  );
}

function notHeld(): OauthError {
  return new OauthError("invalid_grant", "The device code does not hold");
}

function tooMany(): OauthError {
  const headers = { "retry-after": String(lifetime / 1_000) };
  return new OauthError("temporarily_unavailable", "Too many devices wait for their users", 429, headers);
}
