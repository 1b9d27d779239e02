// The gateway process of `guarded.ts`. Depending on its argument, anyone may call, or requests pass a number of
// protections.

import { dropOutput } from "../runtime/connectors/drop/output.ts";
import { plainHttpServerInput } from "../runtime/connectors/http-server/input.ts";
import { serveGateway } from "../runtime/gateway/serve.ts";
import { configuredKeys } from "../runtime/keys/configured-keys.ts";
import { hashKey } from "../runtime/keys/key-hash.ts";
import { pathTest } from "../runtime/keys/path-test.ts";
import { createLogger } from "../runtime/process/log.ts";
import { accessRights } from "../runtime/protections/access-rights.ts";
import { authToken } from "../runtime/protections/authentication/auth-token.ts";
import { authentication } from "../runtime/protections/authentication/authentication.ts";
import { connectionLimit } from "../runtime/protections/connection-limits.ts";
import { messageRateLimit } from "../runtime/protections/message-limits.ts";
import { rateLimits } from "../runtime/protections/rate-limits.ts";
import { reportOnRequest } from "./reporting-gateway.ts";

const [, , variant = ""] = process.argv;
const passed = ["open", "key", "policy", "rate", "connections", "all"].indexOf(variant);
if (passed === -1) throw new Error(`no variant ${variant}`);
const gateway = await serveGateway(
  {
    streaming: { enabled: true },
    keys: () =>
      configuredKeys({
        policies: [
          {
            id: "p",
            rate: 1_000_000_000,
            per: 1,
            access_rights: {
              orders: { allowed_urls: [{ url: pathTest("^/in/[0-9]+$"), methods: ["POST"] }] },
            },
          },
        ],
        keys: [{ key_hash: hashKey("5iGNfEnDkZpG3zUCF6yCsDEr0nGvcAVGhVyOxNqvEHc"), apply_policies: ["p"] }],
      }),
    apis: [
      {
        id: "orders",
        listenPath: "/orders/",
        ...(passed > 0 && {
          protections: () =>
            [
              authentication({
                methods: { key: authToken({ header: "X-Api-Key" }) },
                requirements: [{ key: [] }],
              }),
              accessRights(),
              rateLimits(),
              connectionLimit(),
              messageRateLimit(),
            ].slice(0, passed),
        }),
        streams: {
          intake: () => ({ input: plainHttpServerInput({ path: "/in/{id}" }), output: dropOutput({}) }),
        },
      },
    ],
  },
  {
    environment: { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0" },
    log: createLogger("silent"),
  },
);
reportOnRequest(gateway);
