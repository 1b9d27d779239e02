// Device authorization (RFC 8628): a device without a keyboard shows a code, and a user of the gateway enters it at
// `/oauth/device`, logs in and decides. Meanwhile the device polls the token endpoint.

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

/** Milliseconds within which a user has to decide. */
const lifetime = 600_000;
/** Milliseconds that an expired code is kept, so that its device learns why it ended. */
const remembered = 600_000;
/** Milliseconds between two polls of a device. It grows by the same amount each time that the device polls too soon. */
const interval = 5_000;
/** The maximum number of pending codes per client, so that no client can fill the memory. */
const mostOfClient = 1_000;

/**
 * Limits on wrong codes per address. An address can try 40 of 25 billion codes while a code is valid: with a thousand
 * pending devices it finds one with a probability of one in 600,000, and only gives that device its own rights.
 */
const guessLimits: LoginLimits = { period: 15 * 60_000, ofAccount: 20, ofAddress: 20 };

/** Consonants that look unlike others, so that codes spell no words (RFC 8628, section 6.1). */
const letters = "BCDFGHJKLMNPQRSTVWXZ";
const codeLength = 8;

/** The polling state of a device: the earliest time of the next poll, and the interval. */
interface Polling {
  next: number;
  interval: number;
  readonly until: number;
}

/** The part of the token server that serves devices. */
export interface DeviceServer {
  /** Handles `POST /oauth/device_authorization` of an authenticated client. */
  begin(client: OauthClient, form: Form, call: Call): Promise<OauthAnswer | OauthError>;
  /** Returns the grant of an allowed device code and uses the code up; otherwise an error. */
  exchange(client: OauthClient, form: Form): Promise<Grant | OauthError>;
  /** Creates the step for users at `/oauth/device`. */
  page(context: AuthorizationContext): ChainStep;
}

/** Creates the server for devices. Codes are stored in `tokens`. */
export type DeviceAuthorization = (tokens: TokenStore) => DeviceServer;

/** Serves clients that may request authorization for devices. */
export const deviceAuthorization: DeviceAuthorization = (tokens) => {
  const waiting = new Map<string, Map<string, Polling>>();

  /** Returns the pending device codes of a client, as far as this process knows them. */
  function waitingOf(client: string): Map<string, Polling> {
    const own = waiting.get(client) ?? new Map<string, Polling>();
    const now = Date.now();
    for (const [hash, { until }] of own) if (until <= now) own.delete(hash);
    waiting.set(client, own);
    return own;
  }

  /** Whether a device polls sooner than its interval allows. */
  function isHasty(client: string, hash: string, until: number): boolean {
    const own = waitingOf(client);
    const now = Date.now();
    const polling = own.get(hash) ?? { next: 0, interval, until };
    const isTooSoon = now < polling.next;
    if (isTooSoon) polling.interval += interval;
    // Allow one second, because networks and timers of devices are not exact.
    polling.next = now + polling.interval - 1_000;
    own.set(hash, polling);
    return isTooSoon;
  }

  return {
    async begin(client, form, { url }) {
      if (client.device_authorization !== true)
        return new OauthError("unauthorized_client", "The client may not use the device flow");
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
      const ofUserCode: DeviceBinding = { stage: "asked", until, deviceCode: hash };
      const kept = [
        await tokens.keepCode({ hash, grant: { ...grant, device: pending } }),
        await tokens.keepCode({
          hash: hashUserCode(userCode),
          grant: { ...grant, expires: until, device: ofUserCode },
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
      if (device?.stage === "denied") return new OauthError("access_denied", "The user denied the request");
      if (device?.stage === "pending")
        return isHasty(client.client_id, hash, device.until)
          ? new OauthError("slow_down", "The device polls too often: increase the interval by 5 seconds")
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

/** Asks for the code first, so that users see what they authorize before they log in. */
async function answer(call: Call, context: PageContext): Promise<StepResult> {
  const { send } = context;
  const entered = call.url.searchParams.get("user_code") ?? "";
  if (entered === "") return send(200, codePage());
  const device = await findDevice(entered, call.remoteAddress, context);
  if (typeof device === "number") return send(429, codePage(waitText(device)), retryAfter(device));
  if (device === undefined)
    return send(404, codePage("This code is unknown. Compare it with the code on the device."));
  if (call.verb !== "POST") return send(200, devicePage(device));
  if (!isOwnPage(call)) return send(403, failurePage("The form was sent by another page."));
  const form = await context.form();
  if (form instanceof OauthError) return send(form.status, failurePage(form.description));
  const user = form.get("username") ?? "";
  if (form.get("decision") !== "allow") return decide(device, undefined, context);
  const verdict = await context.verifyUser(user, form.get("password") ?? "", call.remoteAddress);
  if (verdict === "right") return decide(device, user, context);
  const error = verdict === "wrong" ? "The user name or the password is wrong." : waitText(verdict);
  const page = devicePage(device, { error, user });
  return typeof verdict === "number" ? send(429, page, retryAfter(verdict)) : send(403, page);
}

function waitText(seconds: number): string {
  return `Too many failed attempts. Try again in ${seconds} seconds.`;
}

function retryAfter(seconds: number): Readonly<Record<string, string>> {
  return { "retry-after": String(seconds) };
}

/** A device on which a user decides. */
interface PendingDevice {
  readonly hash: string;
  readonly grant: Grant;
  readonly client: OauthClient;
}

/** Returns the device with that code; the seconds to wait if too many codes from the address were wrong. */
async function findDevice(
  entered: string,
  address: string,
  { tokens, clients, guesses }: PageContext,
): Promise<PendingDevice | undefined | number> {
  const attempt = guesses.begin("", address);
  if (typeof attempt === "number") return attempt;
  try {
    const hash = hashUserCode(entered);
    const grant = await tokens.findRefresh(hash);
    const client = grant?.device?.stage === "asked" ? await clients.findClient(grant.client) : undefined;
    if (grant === undefined || client?.device_authorization !== true || client.is_inactive === true)
      return undefined;
    // A right code does not reset the count: otherwise codes of one's own devices would allow further guesses.
    attempt.unverified();
    return { hash, grant, client };
  } catch (error) {
    attempt.unverified();
    throw error;
  }
}

/**
 * Records that `user` allows the device, or that it is denied. Of several concurrent decisions the first one counts.
 */
async function decide(
  { hash }: PendingDevice,
  user: string | undefined,
  { tokens, send }: PageContext,
): Promise<StepResult> {
  const taken = await tokens.takeRefresh(hash);
  const { device } = taken?.grant ?? {};
  if (taken === undefined || taken.wasSpent || device?.stage !== "asked")
    return send(404, codePage("This code is no longer valid."));
  const grant = { ...taken.grant, expires: device.until + remembered, ...(user !== undefined && { user }) };
  const stage = user === undefined ? "denied" : "allowed";
  const binding: DeviceBinding = { stage, until: device.until };
  const kept = await tokens.keepCode({ hash: device.deviceCode, grant: { ...grant, device: binding } });
  if (kept !== "kept") return send(503, failurePage("The decision cannot be saved at the moment."));
  const [title, text] =
    user === undefined
      ? ["Access was denied", "The device gets no access. You can close this page."]
      : ["Access was granted", "Return to the device. It continues within a few seconds."];
  return send(200, donePage(title, text));
}

function createUserCode(): string {
  return Array.from({ length: codeLength }, () => letters[randomInt(letters.length)]).join("");
}

/** Accepts lower case, spaces and dashes. The prefix keeps these hashes distinct from those of tokens. */
function hashUserCode(entered: string): string {
  return hashToken(
    `user code ${entered
      .slice(0, 64)
      .toUpperCase()
      .replace(/[^A-Z]/g, "")}`,
  );
}

function notHeld(): OauthError {
  return new OauthError("invalid_grant", "The device code is invalid");
}

function tooMany(): OauthError {
  const headers = { "retry-after": String(lifetime / 1_000) };
  return new OauthError(
    "temporarily_unavailable",
    "Too many devices are waiting for their users",
    429,
    headers,
  );
}
