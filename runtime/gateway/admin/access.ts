// Who may ask the listener for operators.

import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { crypto } from "../../process/builtins.ts";

/** What a request has to meet. */
export interface AdminAccess {
  /** Names of hosts it may be asked under, in lower case, besides those of the machine itself and IP addresses. */
  readonly hosts: readonly string[];
  /** What it has to show; absent where it has to show nothing. */
  readonly token?: string;
}

/** Why a request is not answered. */
export interface AdminRefusal {
  readonly status: number;
  readonly error: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** For supervisors of the process; they reveal nothing else. */
const openPaths: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

/**
 * Looks at each request. A foreign page whose name was made to resolve to this host (DNS rebinding) sends that name,
 * and is refused; the token comes as `Bearer`, or as the password of any user, for browsers.
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

/** Browsers always name the host; what names none is not one. */
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

/** Of the same length whatever it is made of. */
function digest(text: string): Buffer {
  return crypto().hash("sha256", text, "buffer");
}
