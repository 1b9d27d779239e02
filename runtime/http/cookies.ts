// Cookies (RFC 6265) as the gateway's own pages set and read them.

/** How a cookie is set. */
export interface CookieOptions {
  readonly path: string;
  /** Seconds; 0 has the browser forget it. */
  readonly maxAge: number;
  /** `Strict`: no other site has it sent along. `Lax`: only by following a link. */
  readonly sameSite: "Strict" | "Lax";
  /** Whether it is sent by TLS only. */
  readonly isSecure: boolean;
}

/**
 * The name of a cookie for all paths of a host. Where it is sent by TLS only, browsers take a cookie of that name from the host
 * alone, and from none of its subdomains or siblings.
 */
export function hostCookie(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

/** A `Set-Cookie` that scripts cannot read; `value` consists of characters that need no quotes, such as base64url. */
export function writeCookie(name: string, value: string, options: CookieOptions): string {
  const { path, maxAge, sameSite, isSecure } = options;
  const parts = [`${name}=${value}`, `Path=${path}`, `Max-Age=${maxAge}`, "HttpOnly", `SameSite=${sameSite}`];
  return [...parts, ...(isSecure ? ["Secure"] : [])].join("; ");
}

/** The value of a cookie in a `Cookie` header; `undefined` where it is not there, empty, or there more than once. */
export function readCookie(header: string, name: string): string | undefined {
  const pairs = header.split(";").map((pair) => pair.trim());
  const own = pairs.filter((pair) => pair.startsWith(`${name}=`));
  const [first, ...others] = own;
  // One for a narrower path could stand beside it; the request does not say which of them is ours.
  return first === undefined || others.length > 0 ? undefined : first.slice(name.length + 1) || undefined;
}
