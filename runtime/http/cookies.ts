// Writes and reads cookies (RFC 6265) of the gateway's own pages.

/** The attributes of a cookie. */
export interface CookieOptions {
  readonly path: string;
  /** Seconds; 0 deletes the cookie. */
  readonly maxAge: number;
  /**
   * `Strict`: not sent with requests from other sites. `Lax`: sent from other sites only if the user follows a link.
   */
  readonly sameSite: "Strict" | "Lax";
  /** Whether the cookie is sent over TLS only. */
  readonly isSecure: boolean;
}

/**
 * Returns the name of a cookie for all paths of a host. If it is sent over TLS only, browsers accept a cookie of that
 * name only from the host itself, not from its subdomains or siblings.
 */
export function hostCookie(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

/** Returns a `Set-Cookie` value that scripts cannot read; `value` must need no quotes, such as base64url. */
export function writeCookie(name: string, value: string, options: CookieOptions): string {
  const { path, maxAge, sameSite, isSecure } = options;
  const parts = [`${name}=${value}`, `Path=${path}`, `Max-Age=${maxAge}`, "HttpOnly", `SameSite=${sameSite}`];
  return [...parts, ...(isSecure ? ["Secure"] : [])].join("; ");
}

/** Returns the value of a cookie in a `Cookie` header; `undefined` if it is missing, empty or not unique. */
export function readCookie(header: string, name: string): string | undefined {
  const pairs = header.split(";").map((pair) => pair.trim());
  const own = pairs.filter((pair) => pair.startsWith(`${name}=`));
  const [first, ...others] = own;
  // A cookie for a narrower path could exist as well; the request does not say which of them is ours.
  return first === undefined || others.length > 0 ? undefined : first.slice(name.length + 1) || undefined;
}
