// A gateway with a portal and its own store, and a stream route that requires the credentials of the portal.

import { plainHttpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import type { ApiDefinition, GatewayDefinition } from "../../../runtime/gateway.ts";
import type { PolicyRecord } from "../../../runtime/keys/records.ts";
import { storeKeys } from "../../../runtime/keys/store-keys.ts";
import { gatewayCounters } from "../../../runtime/limits/gateway-counters.ts";
import { keyUsage } from "../../../runtime/limits/key-usage.ts";
import { storedOauthServer } from "../../../runtime/oauth/stored-clients.ts";
import type { WebhooksOptions } from "../../../runtime/portal/generated/webhooks-options.ts";
import type { MailerSource } from "../../../runtime/portal/mail/smtp-mailer.ts";
import type { PortalPage } from "../../../runtime/portal/page/page.ts";
import { type PortalOptions, portal } from "../../../runtime/portal/portal.ts";
import type { Environment } from "../../../runtime/process/environment.ts";
import { createLogger } from "../../../runtime/process/log.ts";
import { accessRights } from "../../../runtime/protections/access-rights.ts";
import { accessToken } from "../../../runtime/protections/authentication/access-token.ts";
import { authToken } from "../../../runtime/protections/authentication/auth-token.ts";
import { authentication } from "../../../runtime/protections/authentication/authentication.ts";
import { basic } from "../../../runtime/protections/authentication/basic.ts";
import type { AuthenticationMethod } from "../../../runtime/protections/authentication/method.ts";
import { rateLimits } from "../../../runtime/protections/rate-limits.ts";
import type { StoreAddress } from "../../../runtime/store/address.ts";
import { gatewayStore } from "../../../runtime/store/gateway-store.ts";
import { createIdentifier } from "../../../runtime/store/identifiers.ts";
import { openStore, type StoreConnection } from "../../../runtime/store/store.ts";
import { memoryOutput } from "../gateway/components.ts";
import {
  ordersApi,
  startGateway,
  type TestGateway,
  type TestGatewayOptions,
} from "../gateway/start-gateway.ts";

/** Tokens of two organisations. `acme` is the default. */
export const tokens = { acme: "token-of-acme-01", other: "token-of-other-01" } as const;

/** A response of the portal, with the fields that most responses have. */
export interface PortalAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: PortalBody;
}

export interface PortalBody {
  readonly [field: string]: unknown;
  readonly Status?: string;
  readonly Message: string;
  readonly Errors?: readonly string[];
  readonly Data: readonly Readonly<Record<string, unknown>>[];
  readonly Pages: number;
  readonly RawKey: string;
  readonly Password: string;
}

/** A gateway with a portal. */
export interface TestPortal extends TestGateway {
  readonly address: StoreAddress;
  /** Sends a request to the portal, by default with the token of `acme`. Objects are sent as JSON. */
  ask(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<PortalAnswer>;
  /** Returns the status of a request to the protected route. */
  call(headers?: Readonly<Record<string, string>>): Promise<number>;
}

/** Options that only some tests of the portal use. */
export interface PortalMore {
  readonly smtp?: MailerSource;
  readonly environment?: Readonly<Record<string, string>>;
  readonly webhooks?: WebhooksOptions;
  readonly page?: PortalPage;
  /** The API behind the protections; replaces the one with the route `/orders/new`. */
  readonly api?: ApiDefinition;
  /** Additional schemes, each of which accepts requests. */
  readonly methods?: Readonly<Record<string, AuthenticationMethod>>;
  /** The schemes of the API; they replace keys, users, tokens and `methods`. */
  readonly schemes?: Readonly<Record<string, AuthenticationMethod>>;
  /** Additional settings of the portal. */
  readonly settings?: Pick<
    PortalOptions,
    "jwks_origins" | "client_authority" | "accounts" | "single_sign_on" | "languages"
  >;
  readonly tls?: GatewayDefinition["tls"];
  readonly limits?: TestGatewayOptions["limits"];
  /** Whether requests are counted where the environment specifies. */
  readonly countsAsSaid?: boolean;
}

/** Serves a portal on the store at `address`. Webhooks may have this machine as target, unless `more` forbids it. */
export async function startPortal(
  address: StoreAddress,
  policies: readonly PolicyRecord[] = [],
  more: PortalMore = {},
): Promise<TestPortal> {
  const methods = more.schemes ?? {
    key: authToken({ header: "X-Api-Key" }),
    user: basic({ header: "Authorization" }),
    token: accessToken({ header: "Authorization" }),
    ...more.methods,
  };
  const protections = [
    authentication({ methods, requirements: Object.keys(methods).map((name) => ({ [name]: [] })) }),
    accessRights(),
    rateLimits(),
  ];
  const intake = () => ({ input: plainHttpServerInput({ path: "/new" }), output: memoryOutput() });
  const url = address.kind === "sqlite" ? `sqlite:${address.file}` : address.url;
  const api = more.api ?? ordersApi({ intake });
  const gateway = await startGateway([{ ...api, protections: () => protections }], {
    environment: {
      GW_STORE_URL: url,
      GW_PORTAL_ACCESS_TOKENS: `${tokens.acme},other:${tokens.other}`,
      ...more.environment,
    },
    ...(more.limits !== undefined && { limits: more.limits }),
    parts: {
      ...(more.tls !== undefined && { tls: more.tls }),
      store: (env) => gatewayStore(env),
      ...(more.countsAsSaid === true && { counters: (env: Environment) => gatewayCounters(env, {}) }),
      keys: () => storeKeys({ policies }),
      oauth: (env) => storedOauthServer(env, { clients: [] }),
      portal: (env) =>
        portal(env, {
          organisation: "acme",
          ...more.settings,
          webhooks: { allow_private: true, ...more.webhooks },
          ...(more.page !== undefined && { page: more.page, usage: keyUsage }),
          ...(more.smtp !== undefined && { smtp: more.smtp }),
        }),
    },
  });
  return {
    ...gateway,
    address,
    async ask(method, path, body, headers = {}) {
      const response = await fetch(`${gateway.url}/api/portal${path}`, {
        method,
        headers: {
          authorization: tokens.acme,
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
    },
    async call(headers = {}) {
      const response = await fetch(`${gateway.url}/orders/new`, { method: "POST", body: "a", headers });
      await response.arrayBuffer();
      return response.status;
    },
  };
}

/** Sends a request for the developer's own records, in the session of a developer who is logged in. */
export type AskOwn = (method: string, path: string, body?: object) => Promise<PortalAnswer>;

/** Logs a developer in at the page. */
export async function logIn({ url }: TestPortal, username: string, password: string): Promise<AskOwn> {
  const json = { "content-type": "application/json" };
  const response = await fetch(`${url}/portal/entrance/login`, {
    method: "POST",
    headers: json,
    body: JSON.stringify({ username, password }),
  });
  const cookie = response.headers.getSetCookie()[0]?.split(";", 1)[0] ?? "";
  return async (method, path, body) => {
    const answer = await fetch(`${url}/portal/own${path}`, {
      method,
      headers: { cookie, ...(body !== undefined && json) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) };
  };
}

/** Adds a developer of `acme` to the store and returns its id. */
export async function createDeveloper({ address }: TestPortal, record: object = {}): Promise<string> {
  const id = createIdentifier();
  const email = `${id}@example.com`;
  const row = { id, org_id: "acme", email, sso_key: null, date_created: "2026-01-01T00:00:00.000Z" };
  await inStore(address, (connection) =>
    connection
      .insertInto("portal_developers")
      .values({ ...row, record: JSON.stringify({ id, email, org_id: "acme", ...record }) })
      .execute(),
  );
  return id;
}

/** Returns the record of a developer as it is stored. */
export async function developerRecord(
  { address }: TestPortal,
  id: string,
): Promise<Readonly<Record<string, unknown>>> {
  const row = await inStore(address, (connection) =>
    connection
      .selectFrom("portal_developers")
      .select("record")
      .where("id", "=", id)
      .executeTakeFirstOrThrow(),
  );
  return JSON.parse(row.record);
}

/** Writes a document of `acme`: its catalogue, or the configuration of its portal. */
export async function writeDocument({ address }: TestPortal, kind: string, record: object): Promise<void> {
  const row = { org_id: "acme", kind, id: createIdentifier(), record: JSON.stringify(record) };
  await inStore(address, (connection) => connection.insertInto("portal_documents").values(row).execute());
}

/** Returns the result of `work` on the tables that a portal writes. */
export async function inStore<T>(
  address: StoreAddress,
  work: (connection: StoreConnection) => Promise<T>,
): Promise<T> {
  const store = await openStore(address, createLogger("silent"));
  try {
    return await store.read(work);
  } finally {
    await store.close();
  }
}

/** Creates a policy for the protected route and returns its id. */
export async function createPolicy(portal: TestPortal, name: string, more: object = {}): Promise<string> {
  const { body } = await portal.ask("POST", "/policies", { name, access_rights: { orders: {} }, ...more });
  return body.Message;
}
