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
 * A path pattern and its methods.
 */
export interface AllowedUrl {
  /**
   * Regular expression that is searched in the path below the listen path. This path begins with `/`.
   */
  readonly url: PathTest | undefined;
  /**
   * Methods that may be used. If it is omitted, all may be used; if it is empty, none.
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
 * Rate, quota and connection limits.
 */
export interface AccessLimits {
  /**
   * Number of requests that are allowed in each period of `per` seconds.
   */
  readonly rate?: number;
  /**
   * Seconds of the period to which `rate` applies.
   */
  readonly per?: number;
  /**
   * Number of requests that are allowed until the quota is renewed; -1 for no limit.
   */
  readonly quota_max?: number;
  /**
   * Seconds until the quota is renewed.
   */
  readonly quota_renewal_rate?: number;
  /**
   * Remaining requests of the quota.
   */
  readonly quota_remaining?: number;
  /**
   * Time of the next renewal of the quota, in Unix seconds.
   */
  readonly quota_renews?: number;
  /**
   * Seconds between retries of throttled requests.
   */
  readonly throttle_interval?: number;
  /**
   * Number of retries of a throttled request.
   */
  readonly throttle_retry_limit?: number;
  /**
   * Maximum depth of GraphQL queries; -1 for no limit.
   */
  readonly max_query_depth?: number;
  /**
   * Maximum number of concurrent sockets, event streams and requests in progress; 0 for no limit.
   */
  readonly max_connections?: number;
  readonly message_limit?: MessageLimit;
}
/**
 * Limits the message rate of each socket or event stream.
 */
export interface MessageLimit {
  /**
   * Limit of the messages that a client sends on a socket.
   */
  readonly from_client?: {
    /**
     * Number of messages that are allowed in each period of `per` seconds.
     */
    readonly rate: number;
    /**
     * Seconds of the period to which `rate` applies.
     */
    readonly per: number;
  };
  /**
   * Limit of the messages that a client receives on a socket or event stream. Further messages wait.
   */
  readonly to_client?: {
    /**
     * Number of messages that are allowed in each period of `per` seconds.
     */
    readonly rate: number;
    /**
     * Seconds of the period to which `rate` applies.
     */
    readonly per: number;
  };
  /**
   * Action if a client exceeds its limit: the gateway reads from it more slowly, or closes its socket with code 1008.
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
 * Access rights for one API.
 */
export interface AccessRight {
  /**
   * Id of the API, equal to the key of this entry.
   */
  readonly api_id?: string;
  /**
   * Display name of the API.
   */
  readonly api_name?: string;
  /**
   * Versions that may be called. If it is omitted, all versions may be called; if it is empty, none.
   */
  readonly versions?: readonly string[];
  /**
   * Paths and methods that may be called. If it is omitted, all may be called; if it is empty, none.
   */
  readonly allowed_urls?: readonly AllowedUrl[];
  readonly limit?: AccessLimits;
  /**
   * Name of the scope in which the limits are counted.
   */
  readonly allowance_scope?: string;
  /**
   * Limits for individual paths.
   */
  readonly endpoints?: readonly EndpointLimit[];
}
/**
 * One policy.
 */
export interface Policy {
  /**
   * Id by which keys refer to the policy.
   */
  readonly id?: string;
  /**
   * Display name.
   */
  readonly name?: string;
  /**
   * Owning organisation.
   */
  readonly org_id?: string;
  /**
   * Number of requests that are allowed in each period of `per` seconds.
   */
  readonly rate?: number;
  /**
   * Seconds of the period to which `rate` applies.
   */
  readonly per?: number;
  /**
   * Number of requests that are allowed until the quota is renewed; -1 for no limit.
   */
  readonly quota_max?: number;
  /**
   * Seconds until the quota is renewed.
   */
  readonly quota_renewal_rate?: number;
  /**
   * Seconds between retries of throttled requests.
   */
  readonly throttle_interval?: number;
  /**
   * Number of retries of a throttled request.
   */
  readonly throttle_retry_limit?: number;
  /**
   * Maximum depth of GraphQL queries; -1 for no limit.
   */
  readonly max_query_depth?: number;
  /**
   * Maximum number of concurrent sockets, event streams and requests in progress; 0 for no limit.
   */
  readonly max_connections?: number;
  readonly message_limit?: MessageLimit;
  /**
   * Access rights by the id of the API.
   */
  readonly access_rights?: Readonly<Record<string, AccessRight>>;
  /**
   * Whether it applies.
   */
  readonly active?: boolean;
  /**
   * Refuses keys that have this policy.
   */
  readonly is_inactive?: boolean;
  /**
   * Lifecycle state.
   */
  readonly state?: "active" | "draft" | "deny";
  /**
   * Tags for searching.
   */
  readonly tags?: readonly string[];
  /**
   * Seconds until keys that the portal creates with this policy expire; 0 for never.
   */
  readonly key_expires_in?: number;
  /**
   * Action on keys after they have expired.
   */
  readonly post_expiry_action?: "retain" | "delete";
  /**
   * Seconds between the expiry of a key and the action; -1 for never.
   */
  readonly post_expiry_grace_period?: number;
  readonly partitions?: PolicyPartitions;
  /**
   * Additional metadata.
   */
  readonly meta_data?: {};
  /**
   * Adapts the rate limit to the use.
   */
  readonly smoothing?: {};
  /**
   * Whether keys with this policy sign requests.
   */
  readonly hmac_enabled?: boolean;
}
/**
 * Parts of the policy that apply to a key.
 */
export interface PolicyPartitions {
  /**
   * Applies the quota of the policy.
   */
  readonly quota?: boolean;
  /**
   * Applies the rate limit of the policy.
   */
  readonly rate_limit?: boolean;
  /**
   * Applies the query depth limit of the policy.
   */
  readonly complexity?: boolean;
  /**
   * Applies the access rights of the policy.
   */
  readonly acl?: boolean;
  /**
   * Applies the limits of each API.
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
   * Name of the user to whom the password in `basic_auth_data` belongs.
   */
  readonly username?: string;
  /**
   * Display name.
   */
  readonly alias?: string;
  /**
   * Owning organisation.
   */
  readonly org_id?: string;
  /**
   * Number of requests that are allowed in each period of `per` seconds.
   */
  readonly rate?: number;
  /**
   * Seconds of the period to which `rate` applies.
   */
  readonly per?: number;
  /**
   * Number of requests that are allowed until the quota is renewed; -1 for no limit.
   */
  readonly quota_max?: number;
  /**
   * Remaining requests of the quota.
   */
  readonly quota_remaining?: number;
  /**
   * Time of the next renewal of the quota, in Unix seconds.
   */
  readonly quota_renews?: number;
  /**
   * Seconds until the quota is renewed.
   */
  readonly quota_renewal_rate?: number;
  /**
   * Seconds between retries of throttled requests.
   */
  readonly throttle_interval?: number;
  /**
   * Number of retries of a throttled request.
   */
  readonly throttle_retry_limit?: number;
  /**
   * Maximum depth of GraphQL queries; -1 for no limit.
   */
  readonly max_query_depth?: number;
  /**
   * Maximum number of concurrent sockets, event streams and requests in progress; 0 for no limit.
   */
  readonly max_connections?: number;
  readonly message_limit?: MessageLimit;
  /**
   * Remaining requests of the rate limit.
   */
  readonly allowance?: number;
  /**
   * Expiry time, in Unix seconds; 0 for never.
   */
  readonly expires?: number;
  /**
   * Access rights by the id of the API.
   */
  readonly access_rights?: Readonly<Record<string, AccessRight>>;
  /**
   * Ids of the policies of the key.
   */
  readonly apply_policies?: readonly string[];
  readonly basic_auth_data?: BasicAuthentication;
  readonly jwt_data?: JwtSecret;
  /**
   * Additional metadata.
   */
  readonly meta_data?: {};
  /**
   * Tags for searching.
   */
  readonly tags?: readonly string[];
  /**
   * Refuses the key.
   */
  readonly is_inactive?: boolean;
  /**
   * Whether the key may sign requests, if it has a secret for signing.
   */
  readonly hmac_enabled?: boolean;
  /**
   * Secret that requests are signed with. A key with this secret can only be used for signed requests.
   */
  readonly hmac_secret?: string;
}
/**
 * Password of the user, for basic authentication.
 */
export interface BasicAuthentication {
  /**
   * argon2 or bcrypt hash of the password, as created by `sluice key hash --password`.
   */
  readonly password: PasswordTest | undefined;
  /**
   * Hash algorithm. The hash itself names it too.
   */
  readonly hash_type?: "argon2" | "bcrypt";
}
/**
 * Verifies tokens that name the key, if the security scheme has no keys of its own.
 */
export interface JwtSecret {
  /**
   * Secret that the tokens are signed with, a public key in PEM format, or the URL of a key set (JWKS).
   */
  readonly secret?: string;
  /**
   * Allows `secret` to be an `http` URL or an address that is not public.
   */
  readonly allow_private?: boolean;
}

/** What the fields hold that a document leaves out. */
export const accessDefaults = {
  policies: [],
  keys: []
} as const satisfies Partial<AccessOptions>;
