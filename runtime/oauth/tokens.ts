// Tokens that the gateway gives out, as they are kept: never themselves, always by their hash.

import { hash, randomBytes } from "node:crypto";
import type { ComponentContext } from "../component/component.ts";

/** What a token was given for. */
export interface Grant {
  readonly client: string;
  readonly scopes: readonly string[];
  /** Of the first token and all that were got for it since: they are taken back together. */
  readonly family: string;
  /** Name of the user for whom the client acts; absent where it acts for itself. */
  readonly user?: string;
  /** What the exchange of an authorization code has to match; only codes have it. */
  readonly code?: CodeBinding;
  /** What a device waits for; only codes of devices and their users have it. */
  readonly device?: DeviceBinding;
  /** Unix milliseconds. */
  readonly issued: number;
  /** Unix milliseconds. */
  readonly expires: number;
}

/** What an authorization code was given for (RFC 6749, section 4.1.3; RFC 7636, section 4.4). */
export interface CodeBinding {
  readonly redirectUri: string;
  /** SHA-256 of the verifier, in base64url. */
  readonly challenge: string;
}

/** The code that a user enters, which names that of the device, or the latter with the decision. `until`: Unix milliseconds. */
export type DeviceBinding =
  | { readonly stage: "asked"; readonly until: number; readonly deviceCode: string }
  | { readonly stage: "pending" | "allowed" | "denied"; readonly until: number };

/** Whether what is kept as refresh tokens are is one, and no code. */
export function isRefreshToken({ code, device }: Grant): boolean {
  return code === undefined && device === undefined;
}

/** A token to be kept, by its hash. */
export interface KeptToken {
  readonly hash: string;
  readonly grant: Grant;
}

/** Whether a token was kept: `limit` where the client has as many as it may, `full` where the store has no room. */
export type Issued = "kept" | "limit" | "full";

/** A refresh token that was presented, and whether it had been before: then it was stolen. */
export interface Refreshed {
  readonly grant: Grant;
  readonly wasSpent: boolean;
}

/**
 * Where tokens are kept until they expire or are taken back. Its methods reject with a `GatewayError` when it
 * cannot be reached; nothing is known then, not even that there is no such token.
 */
export interface TokenStore {
  start?(context: Pick<ComponentContext, "log" | "signal">): Promise<void>;
  /** Keeps tokens of one grant. `most`: how many access tokens of the client may hold at once; absent for any number. */
  issue(access: KeptToken, refresh: KeptToken | undefined, most: number | undefined): Promise<Issued>;
  /** Keeps a code, which is used as a refresh token is: once. It takes the place of one with the same hash. */
  keepCode(code: KeptToken): Promise<Issued>;
  /** The grant of an access token that holds. */
  findAccess(hash: string): Promise<Grant | undefined>;
  /** The grant of a refresh token that was not used. */
  findRefresh(hash: string): Promise<Grant | undefined>;
  /** Uses a refresh token up; the access tokens of its family end with it. */
  takeRefresh(hash: string): Promise<Refreshed | undefined>;
  /** Takes an access token back. */
  revokeAccess(hash: string): Promise<void>;
  /** Takes all of a family back. */
  revokeFamily(client: string, family: string): Promise<void>;
  /** Calls `listener` whenever this process takes tokens back; gives what ends that. */
  onRevoked(listener: () => void): () => void;
  /** How often tokens were taken back by any process; absent where they are those of this one. */
  countRevocations?(): Promise<number>;
  close?(): Promise<void>;
}

/** 256 random bits as text for headers. */
export function createToken(): string {
  return randomBytes(32).toString("base64url");
}

/** What a token is kept by. It is long and random, so that a fast hash is enough. */
export function hashToken(token: string): string {
  return hash("sha256", token, "hex");
}
