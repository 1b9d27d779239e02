// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { PasswordTest } from "../../keys/passwords.ts";
import type { PathTest } from "../../keys/path-test.ts";

export interface AccessOptions {
  /**
   * Access policies.
   */
  readonly policies?: readonly Policy[];
  /**
   * Keys of callers.
   */
  readonly keys?: readonly Key[];
}
/**
 * Paths and their methods.
 */
export interface AllowedUrl {
  /**
   * Regular expression found in paths below the listen path, which begin with `/`.
   */
  readonly url: PathTest | undefined;
  /**
   * Methods that may be used; all where it is not written, none where it is empty.
   */
  readonly methods?: readonly string[];
}
/**
 * Limits of one method.
 */
export interface EndpointMethod {
  /**
   * Method.
   */
  readonly name?: string;
  readonly limit?: AccessLimits;
}
/**
 * Limits of their own.
 */
export interface AccessLimits {
  /**
   * Requests let through in `per`.
   */
  readonly rate?: number;
  /**
   * Seconds that `rate` counts in.
   */
  readonly per?: number;
  /**
   * Requests let through until the quota is renewed; -1 for any number.
   */
  readonly quota_max?: number;
  /**
   * Seconds until the quota is renewed.
   */
  readonly quota_renewal_rate?: number;
  /**
   * Requests left of the quota.
   */
  readonly quota_remaining?: number;
  /**
   * When the quota is renewed next, in Unix seconds.
   */
  readonly quota_renews?: number;
  /**
   * Seconds between attempts of requests that were held back.
   */
  readonly throttle_interval?: number;
  /**
   * Attempts of requests that were held back.
   */
  readonly throttle_retry_limit?: number;
  /**
   * Deepest GraphQL query; -1 for any.
   */
  readonly max_query_depth?: number;
  /**
   * Sockets, event streams and requests being answered at a time; 0 for any number.
   */
  readonly max_connections?: number;
  readonly message_limit?: MessageLimit;
}
/**
 * Most messages that one socket or event stream carries.
 */
export interface MessageLimit {
  /**
   * Messages that a client sends on a socket.
   */
  readonly from_client?: {
    /**
     * Messages let through in `per`.
     */
    readonly rate: number;
    /**
     * Seconds that `rate` counts in.
     */
    readonly per: number;
  };
  /**
   * Messages that a client gets on a socket or event stream; further ones wait.
   */
  readonly to_client?: {
    /**
     * Messages let through in `per`.
     */
    readonly rate: number;
    /**
     * Seconds that `rate` counts in.
     */
    readonly per: number;
  };
  /**
   * What becomes of a client that sends too fast: it is read more slowly, or its socket is closed with 1008.
   */
  readonly when_exceeded?: "slow" | "close";
}
/**
 * Limits of one path.
 */
export interface EndpointLimit {
  /**
   * Path below the listen path.
   */
  readonly path?: string;
  /**
   * Limits by method.
   */
  readonly methods?: readonly EndpointMethod[];
}
/**
 * What of one API may be called.
 */
export interface AccessRight {
  /**
   * Id of the API, as the key it stands under.
   */
  readonly api_id?: string;
  /**
   * Name of the API, for people.
   */
  readonly api_name?: string;
  /**
   * Versions that may be called; all where it is not written, none where it is empty.
   */
  readonly versions?: readonly string[];
  /**
   * Paths and methods that may be called; all where it is not written, none where it is empty.
   */
  readonly allowed_urls?: readonly AllowedUrl[];
  readonly limit?: AccessLimits;
  /**
   * Name under which its limits are counted.
   */
  readonly allowance_scope?: string;
  /**
   * Limits of single paths.
   */
  readonly endpoints?: readonly EndpointLimit[];
}
/**
 * One policy.
 */
export interface Policy {
  /**
   * Id that keys name it by.
   */
  readonly id?: string;
  /**
   * Name for people.
   */
  readonly name?: string;
  /**
   * Organisation it belongs to.
   */
  readonly org_id?: string;
  /**
   * Requests let through in `per`.
   */
  readonly rate?: number;
  /**
   * Seconds that `rate` counts in.
   */
  readonly per?: number;
  /**
   * Requests let through until the quota is renewed; -1 for any number.
   */
  readonly quota_max?: number;
  /**
   * Seconds until the quota is renewed.
   */
  readonly quota_renewal_rate?: number;
  /**
   * Seconds between attempts of requests that were held back.
   */
  readonly throttle_interval?: number;
  /**
   * Attempts of requests that were held back.
   */
  readonly throttle_retry_limit?: number;
  /**
   * Deepest GraphQL query; -1 for any.
   */
  readonly max_query_depth?: number;
  /**
   * Sockets, event streams and requests being answered at a time; 0 for any number.
   */
  readonly max_connections?: number;
  readonly message_limit?: MessageLimit;
  /**
   * What may be called, by the id of the API.
   */
  readonly access_rights?: Readonly<Record<string, AccessRight>>;
  /**
   * Whether it applies.
   */
  readonly active?: boolean;
  /**
   * Whether keys with it are refused.
   */
  readonly is_inactive?: boolean;
  /**
   * Stage of its life.
   */
  readonly state?: "active" | "draft" | "deny";
  /**
   * Words to find it by.
   */
  readonly tags?: readonly string[];
  /**
   * Seconds until keys that the portal makes with it expire; 0 for never.
   */
  readonly key_expires_in?: number;
  /**
   * What becomes of keys after they expired.
   */
  readonly post_expiry_action?: "retain" | "delete";
  /**
   * Seconds between expiry and that; -1 for ever.
   */
  readonly post_expiry_grace_period?: number;
  readonly partitions?: PolicyPartitions;
  /**
   * Anything else about it.
   */
  readonly meta_data?: {};
  /**
   * How its rate grows and shrinks with use.
   */
  readonly smoothing?: {};
  /**
   * Whether its keys sign requests.
   */
  readonly hmac_enabled?: boolean;
}
/**
 * Which parts of it apply to a key.
 */
export interface PolicyPartitions {
  /**
   * Its quota.
   */
  readonly quota?: boolean;
  /**
   * Its rate.
   */
  readonly rate_limit?: boolean;
  /**
   * Its query depth.
   */
  readonly complexity?: boolean;
  /**
   * Its access rights.
   */
  readonly acl?: boolean;
  /**
   * The limits of each API.
   */
  readonly per_api?: boolean;
}
/**
 * One key.
 */
export interface Key {
  /**
   * SHA-256 of the key, in hexadecimal digits.
   */
  readonly key_hash?: string;
  /**
   * Name of the user whose password `basic_auth_data` holds.
   */
  readonly username?: string;
  /**
   * Name for people.
   */
  readonly alias?: string;
  /**
   * Organisation it belongs to.
   */
  readonly org_id?: string;
  /**
   * Requests let through in `per`.
   */
  readonly rate?: number;
  /**
   * Seconds that `rate` counts in.
   */
  readonly per?: number;
  /**
   * Requests let through until the quota is renewed; -1 for any number.
   */
  readonly quota_max?: number;
  /**
   * Requests left of the quota.
   */
  readonly quota_remaining?: number;
  /**
   * When the quota is renewed next, in Unix seconds.
   */
  readonly quota_renews?: number;
  /**
   * Seconds until the quota is renewed.
   */
  readonly quota_renewal_rate?: number;
  /**
   * Seconds between attempts of requests that were held back.
   */
  readonly throttle_interval?: number;
  /**
   * Attempts of requests that were held back.
   */
  readonly throttle_retry_limit?: number;
  /**
   * Deepest GraphQL query; -1 for any.
   */
  readonly max_query_depth?: number;
  /**
   * Sockets, event streams and requests being answered at a time; 0 for any number.
   */
  readonly max_connections?: number;
  readonly message_limit?: MessageLimit;
  /**
   * Requests left of the rate.
   */
  readonly allowance?: number;
  /**
   * When it expires, in Unix seconds; 0 for never.
   */
  readonly expires?: number;
  /**
   * What may be called, by the id of the API.
   */
  readonly access_rights?: Readonly<Record<string, AccessRight>>;
  /**
   * Ids of the policies it has.
   */
  readonly apply_policies?: readonly string[];
  readonly basic_auth_data?: BasicAuthentication;
  readonly jwt_data?: JwtSecret;
  /**
   * Anything else about it.
   */
  readonly meta_data?: {};
  /**
   * Words to find it by.
   */
  readonly tags?: readonly string[];
  /**
   * Whether it is refused.
   */
  readonly is_inactive?: boolean;
  /**
   * Whether it may sign requests, where it has a secret for that.
   */
  readonly hmac_enabled?: boolean;
  /**
   * Secret that requests are signed with; such a key is good for nothing else.
   */
  readonly hmac_secret?: string;
}
/**
 * Password of a user.
 */
export interface BasicAuthentication {
  /**
   * Hash of the password by argon2 or bcrypt, as `sluice key hash --password` makes one.
   */
  readonly password: PasswordTest | undefined;
  /**
   * How it was hashed, which the hash says itself.
   */
  readonly hash_type?: "argon2" | "bcrypt";
}
/**
 * For tokens that name the key, where a scheme has no keys of its own.
 */
export interface JwtSecret {
  /**
   * What verifies the tokens: the secret they are signed with, a public key in PEM, or the address of a key set (JWKS).
   */
  readonly secret?: string;
  /**
   * Whether `secret` may be an address of `http`, or one that is not public.
   */
  readonly allow_private?: boolean;
}

/** What the fields hold that a document leaves out. */
export const accessDefaults = {
  policies: [],
  keys: []
} as const satisfies Partial<AccessOptions>;
