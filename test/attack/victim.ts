// The gateway under attack, in a process of its own. It writes a line for everything that attacks must not reach.

import { EventEmitter } from "node:events";
import { queryObjects } from "node:v8";
import type { Input, Output } from "../../runtime/component/component.ts";
import { httpServerInput } from "../../runtime/connectors/http-server/input.ts";
import { httpServerOutput } from "../../runtime/connectors/http-server/output.ts";
import { type ApiDefinition, defineGateway } from "../../runtime/gateway.ts";
import { secureListener } from "../../runtime/http/listener/secure.ts";
import { versionsInPath } from "../../runtime/http/versions/in-path.ts";
import { configuredKeys } from "../../runtime/keys/configured-keys.ts";
import { hashKey } from "../../runtime/keys/key-hash.ts";
import { passwordTest } from "../../runtime/keys/passwords.ts";
import { pathTest } from "../../runtime/keys/path-test.ts";
import { runMain } from "../../runtime/main.ts";
import { accessRights } from "../../runtime/protections/access-rights.ts";
import { authToken } from "../../runtime/protections/authentication/auth-token.ts";
import { authentication } from "../../runtime/protections/authentication/authentication.ts";
import { basic } from "../../runtime/protections/authentication/basic.ts";
import { jwt } from "../../runtime/protections/authentication/jwt.ts";
import type { AuthenticationMethod } from "../../runtime/protections/authentication/method.ts";
import { ipAccess } from "../../runtime/protections/ip-access.ts";
import { proxyTo } from "../../runtime/proxy/upstream.ts";
import { perRequest } from "../../runtime/stream/instances/stream-instances.ts";

const {
  VICTIM_KEY = "",
  VICTIM_READER = "",
  VICTIM_PASSWORD_HASH = "",
  VICTIM_PUBLIC_KEY = "",
} = process.env;
const { VICTIM_BACKEND = "", VICTIM_CERT, VICTIM_CERT_KEY = "" } = process.env;

function reached(what: string, details: unknown): void {
  console.log(`REACHED ${what} ${JSON.stringify(details)}`);
}

const { constructor: timeoutType } = setTimeout(() => undefined, 0);
/** The types of objects that requests consist of. */
const types = { EventEmitter, Promise, Function, Timeout: timeoutType };

let marks = 0;
// When a client reads the next mark, it has read everything that was reached before.
process.on("SIGUSR2", () => {
  marks += 1;
  console.log(`MARK ${marks}`);
});

// Collecting garbage is slow, and walking through all objects is slower, so both are separate from marks.
let collections = 0;
process.on("SIGIO", () => {
  globalThis.gc?.();
  collections += 1;
  console.log(`COLLECTED ${collections}`);
});

let walks = 0;
process.on("SIGWINCH", () => {
  walks += 1;
  const held = Object.entries(types).map(([name, type]) => [name, queryObjects(type, { format: "count" })]);
  console.log(`HELD ${walks} ${JSON.stringify(Object.fromEntries(held))}`);
});

function witness(name: string): Output {
  return {
    async start() {
      reached("start", name);
    },
    async write(batch) {
      for (const message of batch) {
        const text = Buffer.from(message.bytes()).toString("latin1").slice(0, 200);
        reached("message", { name, text, metadata: [...message.metadata] });
      }
      return {};
    },
    async close() {},
  };
}

/** An input without messages; its start shows that a client got as far as its stream. */
function silent(name: string): Input {
  return {
    async start() {
      reached("start", name);
    },
    async close() {},
  };
}

function protectedBy(method: AuthenticationMethod): Pick<ApiDefinition, "protections"> {
  const asking = authentication({
    methods: { it: method },
    requirements: [{ it: [] }],
    stripAuthorizationData: true,
  });
  return { protections: () => [asking, accessRights()] };
}

function streams(api: string): ApiDefinition["streams"] {
  return {
    intake: () => ({ input: httpServerInput({ path: "/new", ws_path: "/chat" }), output: witness(api) }),
    feed: () => ({ input: silent(`${api} feed`), output: httpServerOutput({ path: "/events" }) }),
    tenants: perRequest(["context.headers_X_Tenant"], () => ({
      input: httpServerInput({ path: "/tenants/{id}" }),
      output: witness(`${api} tenant`),
    })),
  };
}

const upstream = () => proxyTo({ url: VICTIM_BACKEND });
const orders = { orders: {} };

await runMain(
  defineGateway({
    streaming: { enabled: true },
    limits: {
      ...{ max_body_bytes: 100_000, max_frame_bytes: 10_000, max_header_bytes: 8_192, max_headers: 50 },
      ...{ head_timeout: 2_000, body_timeout: 2_000, idle_timeout: 2_000, max_stream_instances: 5 },
    },
    ...(VICTIM_CERT !== undefined && {
      tls: () => secureListener({ cert_file: VICTIM_CERT, key_file: VICTIM_CERT_KEY }),
    }),
    keys: () =>
      configuredKeys({
        policies: [
          {
            id: "reader",
            access_rights: { orders: { allowed_urls: [{ url: pathTest("^/events$"), methods: ["GET"] }] } },
          },
        ],
        keys: [
          {
            key_hash: hashKey(VICTIM_KEY),
            access_rights: { ...orders, versions: { versions: ["v2"] }, domain: {} },
          },
          { key_hash: hashKey(VICTIM_READER), apply_policies: ["reader"] },
          { key_hash: hashKey("inactive"), access_rights: orders, is_inactive: true },
          { key_hash: hashKey("expired"), access_rights: orders, expires: 1_000_000_000 },
          { key_hash: hashKey("elsewhere"), access_rights: { invoices: {} } },
          {
            username: "ann",
            basic_auth_data: { password: passwordTest(VICTIM_PASSWORD_HASH) },
            access_rights: { users: {} },
          },
        ],
      }),
    apis: [
      {
        ...{ id: "orders", listenPath: "/orders/", streams: streams("orders"), upstream },
        ...protectedBy(authToken({ header: "X-Api-Key", query: "key" })),
      },
      {
        ...{ id: "users", listenPath: "/users/", streams: streams("users"), upstream },
        ...protectedBy(basic({ header: "Authorization" })),
      },
      {
        ...{ id: "tokens", listenPath: "/tokens/", streams: streams("tokens"), upstream },
        ...protectedBy(
          jwt({
            header: "Authorization",
            signingMethod: "rsa",
            source: VICTIM_PUBLIC_KEY,
            allowedIssuers: ["https://issuer.test"],
            allowedAudiences: ["shop"],
          }),
        ),
      },
      {
        ...{ id: "inside", listenPath: "/inside/", streams: streams("inside"), upstream },
        protections: () => [ipAccess({ enabled: true, allow: ["10.0.0.0/8"] })],
      },
      { id: "open", listenPath: "/open/", streams: streams("open") },
      {
        ...{ id: "versions", listenPath: "/versions/", streams: {} },
        versions: versionsInPath({
          versions: [
            { name: "v1", id: "versions" },
            { name: "v2", id: "second" },
            { name: "v3", id: "third" },
          ],
          default: "v1",
        }),
      },
      {
        ...{ id: "second", listenPath: "/second/", internal: true, streams: streams("second"), upstream },
        ...protectedBy(authToken({ header: "X-Api-Key" })),
      },
      {
        ...{ id: "third", listenPath: "/third/", internal: true, streams: streams("third"), upstream },
        ...protectedBy(authToken({ header: "X-Api-Key" })),
      },
      {
        ...{ id: "domain", listenPath: "/domain/", host: "inner.test", streams: streams("domain"), upstream },
        ...protectedBy(authToken({ header: "X-Api-Key" })),
      },
    ],
  }),
);
