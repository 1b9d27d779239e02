// Refusals as RFC 6749, section 5.2, has them: `{"error":"invalid_client"}`.

/** Names of refusals; clients look at these. */
export type OauthErrorName =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "invalid_scope"
  | "unsupported_token_type"
  | "authorization_pending"
  | "slow_down"
  | "access_denied"
  | "expired_token"
  | "temporarily_unavailable";

/** A refusal of an endpoint, to be returned. */
export class OauthError {
  readonly name: OauthErrorName;
  /** For people who write clients. */
  readonly description: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    name: OauthErrorName,
    description: string,
    status = 400,
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.name = name;
    this.description = description;
    this.status = status;
    this.headers = headers;
  }
}

/** The answer for a client that failed to authenticate: the same whatever was wrong. */
export function invalidClient(): OauthError {
  return new OauthError("invalid_client", "The client is not known by these credentials", 401, {
    "www-authenticate": 'Basic realm="oauth", charset="UTF-8"',
  });
}
