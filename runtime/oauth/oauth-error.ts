// Error responses (RFC 6749, section 5.2), such as `{"error":"invalid_client"}`.

/** The error codes that clients evaluate. */
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

/** An error response of an endpoint. It is returned, not thrown. */
export class OauthError {
  readonly name: OauthErrorName;
  /** A description for developers of clients. */
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

/** Returns the error for a client that failed to authenticate. It is the same for all causes. */
export function invalidClient(): OauthError {
  return new OauthError("invalid_client", "The client or its credentials are unknown", 401, {
    "www-authenticate": 'Basic realm="oauth", charset="UTF-8"',
  });
}
