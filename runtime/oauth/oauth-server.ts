// The OAuth endpoints for clients, the metadata of the authorization server (RFC 8414), and the lookup of tokens.

import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { GatewayScope } from "../component/gateway-scope.ts";
import { GatewayError } from "../errors.ts";
import { toAnswerable } from "../http/answer.ts";
import type { Call, ChainStep, StepResult } from "../http/call.ts";
import { headerValues } from "../http/request-fields.ts";
import type { Keys } from "../keys/keys.ts";
import { createLoginAttempts, type LoginAttempt, type LoginLimits } from "../logins/login-attempts.ts";
import { EnvironmentError } from "../process/environment.ts";
import type { Logger } from "../process/log.ts";
import { readWorkerPlace } from "../process/worker-place.ts";
import type { Store } from "../store/store.ts";
import type { AuthorizationEndpoint } from "./authorization-endpoint.ts";
import { type ClientStore, configuredClients, heldScopes, type OauthClient } from "./clients.ts";
import type { DeviceAuthorization } from "./device-authorization.ts";
import { type Form, readForm } from "./form.ts";
import { memoryTokens } from "./memory-tokens.ts";
import { invalidClient, OauthError } from "./oauth-error.ts";
import { createTokenEndpoint, deviceGrant, type OauthAnswer, type TokenRules } from "./token-endpoint.ts";
import { type Grant, hashToken, isRefreshToken, type TokenStore } from "./tokens.ts";

interface Credentials {
  readonly id: string;
  readonly secret: string;
}

/** Compared with the given secret if there is no such client, so that it takes equally long. */
const noHash = "0".repeat(64);

/**
 * Authenticates a client by name and secret in a header or in the form, never in the URL (RFC 6749, section 2.3.1).
 * Returns an error if the secret is wrong or `begin` returns a time to wait. Rejects if the store does.
 */
async function authenticateClient(
  request: IncomingMessage,
  form: Form,
  clients: ClientStore,
  begin: (client: string) => LoginAttempt | number,
): Promise<OauthClient | OauthError> {
  const credentials = readCredentials(request, form);
  if (credentials === undefined) return invalidClient();
  if (credentials instanceof OauthError) return credentials;
  const attempt = begin(credentials.id);
  if (typeof attempt === "number") return tooMany(attempt);
  const client = await findClient(clients, credentials.id, attempt);
  const given = Buffer.from(hash("sha256", credentials.secret, "hex"));
  const wanted = Buffer.from((client?.secret_hash ?? noHash).toLowerCase());
  const fits = given.length === wanted.length && timingSafeEqual(given, wanted);
  if (client === undefined || !fits || client.is_inactive === true) return invalidClient();
  attempt.right();
  return client;
}

/** Looks a client up. A failure of the store does not count as a wrong secret. */
async function findClient(
  clients: ClientStore,
  id: string,
  attempt: LoginAttempt,
): Promise<OauthClient | undefined> {
  try {
    return await clients.findClient(id);
  } catch (error) {
    attempt.unverified();
    throw error;
  }
}

function tooMany(wait: number): OauthError {
  const headers = { "retry-after": String(wait) };
  return new OauthError("temporarily_unavailable", "Too many failed logins", 429, headers);
}

function readCredentials(request: IncomingMessage, form: Form): Credentials | OauthError | undefined {
  const headers = headerValues(request, "authorization");
  const [id, secret] = [form.get("client_id"), form.get("client_secret")];
  if (headers.length > 1 || (headers.length > 0 && secret !== undefined)) {
    return new OauthError("invalid_request", "The client uses more than one authentication method");
  }
  const [header] = headers;
  if (header === undefined) return id !== undefined && secret !== undefined ? { id, secret } : undefined;
  const basic = readBasic(header);
  // A different name in the form would identify another client.
  return basic !== undefined && id !== undefined && id !== basic.id ? undefined : basic;
}

function readBasic(header: string): Credentials | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header) ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const at = text.indexOf(":");
  const id = decodeFormValue(text.slice(0, at));
  const secret = decodeFormValue(text.slice(at + 1));
  return at > 0 && id !== undefined && secret ? { id, secret } : undefined;
}

/** Decodes a name or secret: both are form-encoded before they are combined. */
function decodeFormValue(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined; // an invalid percent escape
  }
}

/** The name of the metadata below `/.well-known/` (RFC 8414, section 3). */
const discoveryName = "oauth-authorization-server";

/** Grants that are optional for a server. */
interface OfferedGrants {
  readonly hasRefresh: boolean;
  /** Whether it issues authorization codes. */
  readonly hasCodes: boolean;
  /** Whether it issues device codes. */
  readonly hasDevices: boolean;
}

/**
 * Sends the metadata of the server. The issuer is the origin of the request, as trusted proxies report it, because that
 * is where clients reach the endpoints.
 */
function describeServer({ url, verb, transport }: Call, grants: OfferedGrants): StepResult {
  if ((verb !== "GET" && verb !== "HEAD") || transport.kind !== "http")
    return new GatewayError(405, "Method not allowed", { headers: { allow: "GET, HEAD" } });
  const text = JSON.stringify(metadataOf(url.origin, grants));
  transport.response
    .writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    })
    .end(verb === "HEAD" ? undefined : text);
  return "done";
}

/**
 * Returns the metadata (RFC 8414, section 2). It requires the response types, even without an authorization endpoint.
 */
function metadataOf(
  issuer: string,
  { hasRefresh, hasCodes, hasDevices }: OfferedGrants,
): Readonly<Record<string, unknown>> {
  const methods = ["client_secret_basic", "client_secret_post"];
  return {
    issuer,
    ...(hasCodes && {
      authorization_endpoint: `${issuer}/oauth/authorize`,
      code_challenge_methods_supported: ["S256"],
      response_modes_supported: ["query"],
      authorization_response_iss_parameter_supported: true,
    }),
    ...(hasDevices && { device_authorization_endpoint: `${issuer}/oauth/device_authorization` }),
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    response_types_supported: hasCodes ? ["code"] : [],
    grant_types_supported: [
      ...(hasCodes ? ["authorization_code"] : []),
      "client_credentials",
      ...(hasRefresh ? ["refresh_token"] : []),
      ...(hasDevices ? [deviceGrant] : []),
    ],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_methods_supported: methods,
  };
}

/** The limits on logins of clients. Their secrets are random, so failures rarely are guesses. */
const loginLimits: LoginLimits = { period: 60_000, ofAccount: 20, ofAddress: 20 };

/** A valid token and its client. */
export interface KnownToken {
  readonly grant: Grant;
  readonly client: OauthClient;
}

/** The authorization server of a gateway. */
export interface OauthServer {
  /** Serves the endpoints. Passes other requests on. */
  readonly step: ChainStep;
  /** Returns the grant of a valid token. Rejects with a `GatewayError` if the store is not available. */
  findToken(token: string): Promise<KnownToken | undefined>;
  /** See `TokenStore`. */
  readonly onRevoked?: TokenStore["onRevoked"];
  readonly countRevocations?: TokenStore["countRevocations"];
  /** Called once, before the gateway listens. */
  start(context: OauthContext): Promise<void>;
  close(): Promise<void>;
}

/** The dependencies of the server, available when the gateway starts. */
export interface OauthContext {
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** A store of clients; absent if the gateway has no store. */
  readonly store?: Store;
  /** The scope that the APIs of the gateway share. */
  readonly gateway?: GatewayScope;
  /** The users who authorize clients. */
  readonly keys?: Keys;
}

/** The `oauth` block and the clients of a gateway. */
export interface OauthServerOptions {
  readonly clients: readonly OauthClient[];
  /** Milliseconds. */
  readonly access_token_lifetime?: number;
  readonly refresh_tokens?: boolean;
  /** Milliseconds. */
  readonly refresh_token_lifetime?: number;
  /** Creates the endpoint at which users authorize clients; absent if there is none. */
  readonly authorization_code?: AuthorizationEndpoint;
  /** Creates the endpoints with which users authorize devices; absent if there are none. */
  readonly device_authorization?: DeviceAuthorization;
}

const defaultAccessLifetime = 3_600_000;
const defaultRefreshLifetime = 14 * 24 * 3_600_000;

/** Creates an authorization server. Without a `store`, tokens are in the memory of this process. */
export function oauthServer(
  options: OauthServerOptions,
  store?: TokenStore,
  clients: ClientStore = configuredClients(options.clients),
): OauthServer {
  const tokens = store ?? memoryTokens();
  const {
    access_token_lifetime: accessLifetime = defaultAccessLifetime,
    refresh_tokens: hasRefresh = false,
    refresh_token_lifetime: refreshLifetime = defaultRefreshLifetime,
  } = options;
  const hasCodes = options.authorization_code !== undefined;
  const devices = options.device_authorization?.(tokens);
  const rules: TokenRules = {
    accessLifetime,
    ...(hasRefresh && { refreshLifetime }),
    hasCodes,
    ...(devices !== undefined && { exchangeDevice: devices.exchange }),
  };
  const endpoints = new Map<string, Endpoint>([
    ...(devices === undefined ? [] : [["device_authorization", devices.begin] as const]),
    ["token", createTokenEndpoint(tokens, rules)],
    ["revoke", createRevocationEndpoint(tokens)],
    ["introspect", createIntrospectionEndpoint(tokens, clients)],
  ]);
  const logins = createLoginAttempts(loginLimits);
  let log: Logger | undefined;
  /** The steps for users, by the name below `/oauth/`. */
  const pages = new Map<string, ChainStep>();
  return {
    step(call) {
      const [first, name = "", ...rest] = call.path.segments;
      if (first === ".well-known" && name === discoveryName && rest.length === 0)
        return describeServer(call, { hasRefresh, hasCodes, hasDevices: devices !== undefined });
      if (first !== "oauth" || rest.length > 0) return "next";
      const page = pages.get(name);
      if (page !== undefined) return page(call);
      const endpoint = endpoints.get(name);
      if (endpoint === undefined) return "next";
      const { request, transport } = call;
      if (call.verb !== "POST" || transport.kind !== "http") {
        return new GatewayError(405, "Method not allowed", { headers: { allow: "POST" } });
      }
      const answered = (async () => {
        const form = await readForm(request, transport.response);
        if (form instanceof OauthError) return form;
        const begin = (id: string) => logins.begin(id, call.remoteAddress);
        const client = await authenticateClient(request, form, clients, begin);
        return client instanceof OauthError ? client : endpoint(client, form, call);
      })();
      return answered.then(
        (answer) => send(transport.response, answer),
        (error: unknown) =>
          log === undefined ? new GatewayError(500, "Internal error") : toAnswerable(error, log),
      );
    },
    async findToken(token) {
      const grant = await tokens.findAccess(hashToken(token));
      const client = grant && (await clients.findClient(grant.client));
      return grant === undefined || client === undefined || client.is_inactive === true
        ? undefined
        : { grant: { ...grant, scopes: heldScopes(grant.scopes, client) }, client };
    },
    onRevoked: (listener) => tokens.onRevoked(listener),
    countRevocations: tokens.countRevocations,
    async start(context) {
      if (store === undefined && readWorkerPlace() !== undefined) {
        throw new EnvironmentError(["several workers issue OAuth tokens only if Redis stores them"]);
      }
      log = context.log;
      await clients.start?.(context);
      await tokens.start?.(context);
      const ofUsers = { ...context, tokens, clients };
      if (options.authorization_code !== undefined)
        pages.set("authorize", options.authorization_code(ofUsers));
      if (devices !== undefined) pages.set("device", devices.page(ofUsers));
    },
    close: async () => tokens.close?.(),
  };
}

/** Sends a response. Caches must not store responses with tokens (RFC 6749, section 5.1). */
function send(response: ServerResponse, answer: OauthAnswer | OauthError): "done" {
  const body =
    answer instanceof OauthError ? { error: answer.name, error_description: answer.description } : answer;
  const text = body === undefined ? "" : JSON.stringify(body);
  const failure = answer instanceof OauthError ? answer : undefined;
  response
    .writeHead(failure?.status ?? 200, {
      ...(body !== undefined && { "content-type": "application/json" }),
      "content-length": Buffer.byteLength(text),
      "cache-control": "no-store",
      pragma: "no-cache",
      ...failure?.headers,
    })
    .end(text);
  return "done";
}

// `POST /oauth/revoke` (RFC 7009) and `POST /oauth/introspect` (RFC 7662).

type Endpoint = (client: OauthClient, form: Form, call: Call) => Promise<OauthAnswer | OauthError>;

/**
 * Revokes a token of the client. A refresh token is revoked together with all tokens that were issued for it. Tokens of
 * other clients get the same response, which reveals nothing about them.
 */
function createRevocationEndpoint(tokens: TokenStore): Endpoint {
  return async (client, form) => {
    const hash = hashOf(form);
    if (hash instanceof OauthError) return hash;
    const access = await tokens.findAccess(hash);
    if (access?.client === client.client_id) await tokens.revokeAccess(hash);
    const refresh = access === undefined ? await tokens.findRefresh(hash) : undefined;
    if (refresh?.client === client.client_id) await tokens.revokeFamily(refresh.client, refresh.family);
    return undefined;
  };
}

/** Describes a token to its client and to clients that may introspect all tokens. To others, the token is inactive. */
function createIntrospectionEndpoint(tokens: TokenStore, clients: ClientStore): Endpoint {
  return async (client, form) => {
    const hash = hashOf(form);
    if (hash instanceof OauthError) return hash;
    const access = await tokens.findAccess(hash);
    const grant = access ?? (await tokens.findRefresh(hash));
    if (grant === undefined || !isRefreshToken(grant)) return { active: false };
    const mayAsk = grant.client === client.client_id || client.may_introspect === true;
    const owner = mayAsk ? await clients.findClient(grant.client) : undefined;
    if (owner === undefined || owner.is_inactive === true) return { active: false };
    const held = { ...grant, scopes: heldScopes(grant.scopes, owner) };
    return describe(held, access === undefined ? {} : { token_type: "Bearer" });
  };
}

function describe(
  { client, user = client, scopes, issued, expires }: Grant,
  more: Readonly<Record<string, string>>,
): OauthAnswer {
  return {
    active: true,
    client_id: client,
    sub: user,
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    iat: Math.floor(issued / 1000),
    exp: Math.floor(expires / 1000),
    ...more,
  };
}

function hashOf(form: Form): string | OauthError {
  const token = form.get("token");
  return token === undefined ? new OauthError("invalid_request", "`token` is missing") : hashToken(token);
}
