// The response to a client does not depend on its version of HTTP.

import { createHmac } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect } from "node:tls";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { serveGateway } from "../../../runtime/gateway/serve.ts";
import { secureListener } from "../../../runtime/http/listener/secure.ts";
import { configuredKeys } from "../../../runtime/keys/configured-keys.ts";
import { hashKey } from "../../../runtime/keys/key-hash.ts";
import { storedOauthServer } from "../../../runtime/oauth/stored-clients.ts";
import { portal } from "../../../runtime/portal/portal.ts";
import { createLogger } from "../../../runtime/process/log.ts";
import { authentication } from "../../../runtime/protections/authentication/authentication.ts";
import { signedRequests } from "../../../runtime/protections/authentication/signed-requests.ts";
import { proxyTo } from "../../../runtime/proxy/upstream.ts";
import { gatewayStore } from "../../../runtime/store/gateway-store.ts";
import { createCertificates } from "../../harness/certificates.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { httpServer } from "../../harness/http-server.ts";
import { basic, secrets, shop } from "../oauth/served.ts";
import { http2Client } from "./http2-client.ts";

const { server, authority } = await createCertificates();

interface Question {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function start() {
  const upstream = await httpServer(({ method, path }) => ({ body: `${method} ${path}` }));
  const secret = "shared by both";
  const gateway = await serveGateway(
    {
      streaming: { enabled: true },
      tls: () => secureListener({ cert_file: server.certFile, key_file: server.keyFile }),
      store: (env) => gatewayStore(env),
      keys: () =>
        configuredKeys({
          policies: [{ id: "gold", access_rights: { signed: {} } }],
          keys: [{ key_hash: hashKey("till"), hmac_secret: secret, apply_policies: ["gold"] }],
        }),
      oauth: (env) => storedOauthServer(env, { clients: [{ ...shop, policy_id: "gold" }] }),
      portal: (env) => portal(env, {}),
      apis: [
        { id: "open", listenPath: "/open/", streams: {}, upstream: () => proxyTo({ url: upstream.url }) },
        {
          id: "signed",
          listenPath: "/signed/",
          streams: {},
          upstream: () => proxyTo({ url: upstream.url }),
          protections: () => [
            authentication({
              methods: { it: signedRequests({ header: "Authorization" }) },
              requirements: [{ it: [] }],
            }),
          ],
        },
      ],
    },
    {
      log: createLogger("silent"),
      environment: {
        GW_LISTEN: "127.0.0.1:0",
        GW_ADMIN_LISTEN: "127.0.0.1:0",
        GW_STORE_URL: `sqlite:${join(temporaryDirectory("versions"), "gateway.db")}`,
        GW_PORTAL_ACCESS_TOKENS: "token-of-the-portal",
      },
    },
  );
  const url = gateway.addresses.gateway;
  const port = Number(new URL(url).port);
  const client = await http2Client(url, { ca: authority.cert });
  return {
    secret,
    received: () => upstream.requests.map(({ method, path }) => `${method} ${path}`),
    /** Returns the status over HTTP/1.1 and over HTTP/2. */
    async ask({ method, path, headers = {}, body }: Question): Promise<readonly [number, number]> {
      const socket = connect({ host: "127.0.0.1", port, ca: authority.cert, ALPNProtocols: ["http/1.1"] });
      await once(socket, "secureConnect");
      const own = { host: "localhost", connection: "close", "content-length": String(body?.length ?? 0) };
      const lines = Object.entries({ ...own, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
      // Node's client would write the method in upper case.
      socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body ?? ""}`);
      const first = Number((await text(socket)).slice("HTTP/1.1 ".length).slice(0, 3));
      const head = { ":method": method, ":path": path, ...headers };
      return [first, (await client.ask(head, body ?? "")).status];
    },
    async close() {
      client.close();
      await gateway.close();
      await upstream.close();
    },
  };
}

test("tokens, the portal and signed requests behave the same in both versions", async () => {
  const gateway = await start();
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const grant = "grant_type=client_credentials";
  const token = (headers: Question["headers"]): Question => ({
    ...{ method: "POST", path: "/oauth/token", body: grant },
    headers: { ...form, ...headers },
  });
  const authorization = basic(shop.client_id, secrets.shop);
  assert.equal(await gateway.ask(token({ authorization })), [200, 200]);
  assert.equal(await gateway.ask(token({ authorization: basic(shop.client_id, "guess") })), [401, 401]);
  assert.equal(await gateway.ask(token({})), [401, 401]);

  const list: Question = { method: "GET", path: "/api/portal/requests" };
  const known = { authorization: "token-of-the-portal" };
  assert.equal(await gateway.ask({ ...list, headers: known }), [200, 200]);
  assert.equal(await gateway.ask({ ...list, headers: { authorization: "guess" } }), [401, 401]);
  assert.equal(await gateway.ask(list), [401, 401]);
  assert.equal(await gateway.ask({ ...list, method: "PATCH", headers: known }), [405, 405]);

  const date = new Date().toUTCString();
  const signed = (key: string): Question => {
    const line = `(request-target): get /signed/a?b=c\ndate: ${date}`;
    const signature = createHmac("sha256", key).update(line).digest("base64");
    const value = `Signature keyId="till",algorithm="hmac-sha256",headers="(request-target) date",signature="${signature}"`;
    return { method: "GET", path: "/signed/a?b=c", headers: { authorization: value, date } };
  };
  assert.equal(await gateway.ask(signed(gateway.secret)), [200, 200]);
  assert.equal(await gateway.ask(signed("guess")), [403, 403]);
  await gateway.close();
});

test("methods invalid in HTTP/1.1 are invalid in HTTP/2", async () => {
  const gateway = await start();
  for (const method of ["delete", "Delete", "get", "FOO", "PRI", "UPDATE", "update"]) {
    assert.equal(await gateway.ask({ method, path: "/open/a" }), [400, 400], method);
  }
  assert.equal(gateway.received(), []);
  assert.equal(await gateway.ask({ method: "DELETE", path: "/open/a" }), [200, 200]);
  assert.equal(gateway.received(), ["DELETE /a", "DELETE /a"]);
  await gateway.close();
});

test.run();
