// Issued tokens and the interface of their store, which keeps only their hashes.

import { hash, randomBytes } from "node:crypto";
import type { ComponentContext } from "../component/component.ts";

/** The data of an issued token. */
export interface Grant {
  readonly client: string;
  readonly scopes: readonly string[];
  /** The id shared by the first token and all that were issued from it. They are revoked together. */
  readonly family: string;
  /** The name of the user for whom the client acts; absent if it acts for itself. */
  readonly user?: string;
  /** The data that the exchange of an authorization code has to match; only codes have it. */
  readonly code?: CodeBinding;
  /** The state of a device authorization; only codes of devices and their users have it. */
  readonly device?: DeviceBinding;
  /** Unix milliseconds. */
  readonly issued: number;
  /** Unix milliseconds. */
  readonly expires: number;
}

/** The parameters of an authorization code (RFC 6749, section 4.1.3; RFC 7636, section 4.4). */
export interface CodeBinding {
  readonly redirectUri: string;
  /** The SHA-256 digest of the verifier, in base64url. */
  readonly challenge: string;
}

/**
 * The state of a device authorization. `asked`: the code that a user enters, which refers to the device code. Otherwise
 * the device code itself, with the decision. `until`: Unix milliseconds.
 */
export type DeviceBinding =
  | { readonly stage: "asked"; readonly until: number; readonly deviceCode: string }
  | { readonly stage: "pending" | "allowed" | "denied"; readonly until: number };

/** Whether a grant is a refresh token. Codes are stored like refresh tokens. */
export function isRefreshToken({ code, device }: Grant): boolean {
  return code === undefined && device === undefined;
}

/** A token to store, by its hash. */
export interface KeptToken {
  readonly hash: string;
  readonly grant: Grant;
}

/** Whether a token was stored. `limit`: the client has its maximum number of tokens. `full`: the store has no room. */
export type Issued = "kept" | "limit" | "full";

/** A presented refresh token, and whether it was used before, which indicates that it was stolen. */
export interface Refreshed {
  readonly grant: Grant;
  readonly wasSpent: boolean;
}

/**
 * A store that keeps tokens until they expire or are revoked. Its methods reject with a `GatewayError` if it is not
 * available, as it is then unknown whether a token exists.
 */
export interface TokenStore {
  start?(context: Pick<ComponentContext, "log" | "signal">): Promise<void>;
  /**
   * Stores tokens of one grant. `most`: the maximum number of valid access tokens of the client; absent for no limit.
   */
  issue(access: KeptToken, refresh: KeptToken | undefined, most: number | undefined): Promise<Issued>;
  /** Stores a code, which can be used once, like a refresh token. Replaces a code with the same hash. */
  keepCode(code: KeptToken): Promise<Issued>;
  /** Returns the grant of a valid access token. */
  findAccess(hash: string): Promise<Grant | undefined>;
  /** Returns the grant of an unused refresh token. */
  findRefresh(hash: string): Promise<Grant | undefined>;
  /** Uses up a refresh token and revokes the access tokens of its family. */
  takeRefresh(hash: string): Promise<Refreshed | undefined>;
  /** Revokes an access token. */
  revokeAccess(hash: string): Promise<void>;
  /** Revokes all tokens of a family. */
  revokeFamily(client: string, family: string): Promise<void>;
  /** Calls `listener` whenever this process revokes tokens. Returns a function that removes the listener. */
  onRevoked(listener: () => void): () => void;
  /** Returns the number of revocations by all processes; absent if the store belongs to this process alone. */
  countRevocations?(): Promise<number>;
  close?(): Promise<void>;
}

/** Returns 256 random bits as text for headers. */
export function createToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Returns the hash by which a token is stored. Tokens are long and random, so a fast hash is sufficient. */
export function hashToken(token: string): string {
  return hash("sha256", token, "hex");
}
