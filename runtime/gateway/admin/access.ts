// Decides who may use the admin listener.

import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { crypto } from "../../process/builtins.ts";

/** The conditions that a request must meet. */
export interface AdminAccess {
  /** Host names that requests may use, in lower case, in addition to `localhost` and IP addresses. */
  readonly hosts: readonly string[];
  /** The token that a request must carry; absent if no token is needed. */
  readonly token?: string;
}

/** The response to a request that is refused. */
export interface AdminRefusal {
  readonly status: number;
  readonly error: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Paths that need no access, for supervisors of the process; they reveal nothing else. */
const openPaths: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

/**
 * Returns a function that checks each request, and returns the refusal, or `undefined` if the request may pass.
 * Checking the host protects against DNS rebinding: a foreign page whose name was made to resolve to this host sends
 * that name, and is refused. The token comes as `Bearer`, or as the password of any user, for browsers.
 */
export function createAdminDoor({
  hosts,
  token,
}: AdminAccess): (request: IncomingMessage) => AdminRefusal | undefined {
  const wanted = token === undefined ? undefined : digest(token);
  return (request) => {
    if (openPaths.has((request.url ?? "").split("?", 1)[0] ?? "")) return undefined;
    if (!isKnownHost(request.headers.host, hosts))
      return { status: 421, error: "This host name is not one of GW_ADMIN_HOSTS" };
    if (wanted === undefined || crypto().timingSafeEqual(digest(readToken(request) ?? ""), wanted))
      return undefined;
    const challenge = 'Basic realm="operators", charset="UTF-8"';
    return { status: 401, error: "Authorization is required", headers: { "www-authenticate": challenge } };
  };
}

const hostPattern = /^[\w.\-:[\]]+$/;

/** Browsers always send the host: a request without one does not come from a browser, and passes. */
function isKnownHost(host: string | undefined, hosts: readonly string[]): boolean {
  if (host === undefined) return true;
  const name = hostPattern.test(host) ? URL.parse(`http://${host}`)?.hostname.replace(/\.$/, "") : undefined;
  if (name === undefined) return false;
  const isAddress = isIP(name.replace(/^\[|\]$/g, "")) !== 0;
  return isAddress || name === "localhost" || name.endsWith(".localhost") || hosts.includes(name);
}

function readToken({ headers }: IncomingMessage): string | undefined {
  const [, scheme = "", value = ""] = /^(bearer|basic) +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  if (scheme.toLowerCase() === "bearer") return value;
  const pair = Buffer.from(value, "base64").toString("utf8");
  return pair.includes(":") ? pair.slice(pair.indexOf(":") + 1) : undefined;
}

/** Returns the SHA-256 digest of a text: its length does not depend on the text. */
function digest(text: string): Buffer {
  return crypto().hash("sha256", text, "buffer");
}
