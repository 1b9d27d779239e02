// Serves the token endpoints on a loopback port.

import { hash } from "node:crypto";
import { inTurn } from "../../../runtime/http/chain.ts";
import { listenerLimits } from "../../../runtime/http/listener-limits.ts";
import { createGatewayServer } from "../../../runtime/middleware/server.ts";
import type { ClientStore, OauthClient } from "../../../runtime/oauth/clients.ts";
import {
  type OauthServer,
  type OauthServerOptions,
  oauthServer,
} from "../../../runtime/oauth/oauth-server.ts";
import type { TokenStore } from "../../../runtime/oauth/tokens.ts";
import { listen } from "../../../runtime/process/listen-address.ts";
import { createLogger } from "../../../runtime/process/log.ts";

/** The secrets of the clients below. */
export const secrets = { shop: "the shop's secret: 100% + more", till: "the till's secret" };

export const shop: OauthClient = {
  client_id: "shop 1",
  secret_hash: hash("sha256", secrets.shop, "hex"),
  policy_id: "gold",
  scopes: ["orders:read", "orders:write"],
};
export const till: OauthClient = {
  client_id: "till",
  secret_hash: hash("sha256", secrets.till, "hex").toUpperCase(),
  policy_id: "silver",
};

/** The response of an endpoint. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Empty if the response has no body. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ServedOauth {
  readonly url: string;
  readonly server: OauthServer;
  /** Posts a form as a client that authenticates with a header. */
  ask(endpoint: string, form: Form, client?: OauthClient, secret?: string): Promise<Answer>;
  close(): Promise<void>;
}

type Form = Readonly<Record<string, string>> | string;

export async function serveOauth(
  options: Partial<OauthServerOptions> = {},
  store?: TokenStore,
  clients?: ClientStore,
): Promise<ServedOauth> {
  const log = createLogger("silent");
  const closing = new AbortController();
  const server = oauthServer({ clients: [shop, till], ...options }, store, clients);
  await server.start({ log, signal: closing.signal });
  const { server: listener, close } = createGatewayServer({
    chain: inTurn([server.step]),
    log,
    limits: listenerLimits({}, 1),
  });
  const url = await listen(listener, { host: "127.0.0.1", port: 0 });
  return {
    url,
    server,
    async ask(endpoint, form, client = shop, secret = secrets.shop) {
      const body = new URLSearchParams(form);
      const headers = { authorization: basic(client.client_id, secret) };
      return readAnswer(await fetch(`${url}/oauth/${endpoint}`, { method: "POST", body, headers }));
    },
    async close() {
      closing.abort();
      await close(1000);
      await server.close();
    },
  };
}

/** Returns the `Authorization` header of a client (RFC 6749, section 2.3.1). */
export function basic(id: string, secret: string): string {
  const encoded = [id, secret].map((text) => new URLSearchParams([["", text]]).toString().slice(1));
  return `Basic ${Buffer.from(encoded.join(":")).toString("base64")}`;
}

export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const body: Answer["body"] = text === "" ? {} : JSON.parse(text);
  return { status: response.status, headers: response.headers, body };
}
