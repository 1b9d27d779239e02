// Decides which pages of other origins may call, and writes the headers for browsers (Fetch standard, section 3.2).

import type { IncomingMessage } from "node:http";
import type { CorsHeaders, CorsPolicy } from "../component/endpoint.ts";
import { allowsEveryHost, createOriginTest } from "../text/origin-pattern.ts";

/** The `cors` block of an endpoint. */
export interface CorsBlock {
  readonly enabled?: boolean;
  /** `*` for all origins; within a text it stands for any characters: `https://*.example.com`. */
  readonly allowed_origins?: readonly string[];
  readonly allowed_methods?: readonly string[];
  readonly allowed_headers?: readonly string[];
}

/** The `cors` block of an API. */
export interface ApiCorsBlock {
  readonly enabled: boolean;
  readonly allowedOrigins?: readonly string[];
  readonly allowedMethods?: readonly string[];
  readonly allowedHeaders?: readonly string[];
  readonly exposedHeaders?: readonly string[];
  readonly allowCredentials?: boolean;
  /** Seconds. */
  readonly maxAge?: number;
  readonly optionsPassthrough?: boolean;
  readonly debug?: boolean;
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const apiMethods = ["GET", "HEAD", "POST"];
const apiHeaders = ["Accept", "Content-Type", "X-Requested-With"];

/** Returns the policy of an endpoint; `undefined` if it is disabled. */
export function corsPolicy(block: CorsBlock): CorsPolicy | undefined {
  if (block.enabled !== true) return undefined;
  return createPolicy({
    origins: block.allowed_origins ?? [],
    methods: block.allowed_methods ?? methods,
    headers: block.allowed_headers ?? [],
  });
}

/** Returns the policy of an API; `undefined` if it is disabled. */
export function apiCors(block: ApiCorsBlock): CorsPolicy | undefined {
  if (!block.enabled) return undefined;
  return createPolicy({
    origins: block.allowedOrigins ?? [],
    methods: block.allowedMethods ?? apiMethods,
    headers: block.allowedHeaders ?? apiHeaders,
    exposed: block.exposedHeaders ?? [],
    credentials: block.allowCredentials === true,
    ...(block.maxAge !== undefined && { maxAge: block.maxAge }),
    passesPreflights: block.optionsPassthrough === true,
    isLogged: block.debug === true,
  });
}

interface Rules {
  readonly origins: readonly string[];
  readonly methods: readonly string[];
  readonly headers: readonly string[];
  readonly exposed?: readonly string[];
  readonly credentials?: boolean;
  readonly maxAge?: number;
  readonly passesPreflights?: boolean;
  readonly isLogged?: boolean;
}

function createPolicy(rules: Rules): CorsPolicy {
  const { origins, exposed = [], maxAge, passesPreflights = false, isLogged = false } = rules;
  const isOpen = origins.includes("*");
  // Methods are case-sensitive (RFC 9110, section 9.1), but documents may write them in any case.
  const verbs: ReadonlySet<string> = new Set(rules.methods.map((each) => each.toUpperCase()));
  const tests = origins.map(createOriginTest);
  // Credentials for the pages of every host would undo the same-origin policy, so they are never allowed with `*`.
  const credentials = rules.credentials === true && !origins.some(allowsEveryHost);
  const allows = (origin: string) => isOpen || tests.some((test) => test(origin.toLowerCase()));
  const common = (origin: string): CorsHeaders => ({
    "access-control-allow-origin": isOpen ? "*" : origin,
    ...(credentials && { "access-control-allow-credentials": "true" }),
  });
  return {
    allows,
    passesPreflights,
    isLogged,
    answer(origin) {
      const vary: CorsHeaders = isOpen ? {} : { vary: "Origin" };
      if (!allows(origin)) return vary;
      const expose: CorsHeaders =
        exposed.length > 0 ? { "access-control-expose-headers": exposed.join(", ") } : {};
      return { ...vary, ...common(origin), ...expose };
    },
    preflight(origin, request) {
      const vary = { vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers" };
      const method = request.headers["access-control-request-method"] ?? "";
      const requested = requestedHeaders(request);
      if (!allows(origin) || !(verbs.has("*") || verbs.has(method))) return vary;
      if (!requested.every((name) => isListed(name, rules.headers))) return vary;
      return {
        ...vary,
        ...common(origin),
        "access-control-allow-methods": method,
        ...(requested.length > 0 && { "access-control-allow-headers": requested.join(", ") }),
        ...(maxAge !== undefined && { "access-control-max-age": String(maxAge) }),
      };
    },
  };
}

function requestedHeaders(request: IncomingMessage): readonly string[] {
  const text = request.headers["access-control-request-headers"] ?? "";
  return text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function isListed(name: string, list: readonly string[]): boolean {
  return list.some((each) => each === "*" || each.toLowerCase() === name.toLowerCase());
}
