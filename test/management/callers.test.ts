// The description of who may call the routes of a definition: in the terms of the gateway, including scopes.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { compileDefinition } from "../../compiler/compile-definition.ts";
import { describeRoutes } from "../../management/definitions/callers.ts";

const text = `openapi: 3.1.0
info: { title: Rides, version: "1" }
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Api-Key }
    token: { type: http, scheme: bearer, bearerFormat: JWT }
security: [{ key: [] }, { token: ["ride:read"] }]
paths:
  /positions/{driver}:
    post: { security: [{ token: ["position:write", "ride:read"], key: [] }, { token: ["admin"] }], responses: {} }
  /open:
    get: { security: [], responses: {} }
x-gw-api-gateway:
  info: { id: rides }
  upstream: { url: "http://127.0.0.1:9" }
  server:
    listenPath: { value: /rides/ }
    authentication:
      securitySchemes:
        key: { enabled: true }
        token: { enabled: true, signingMethod: rsa, source: https://login.example.com/jwks.json, allowedIssuers: [a], allowedAudiences: [b] }
x-gw-streaming:
  streams:
    positions:
      input: { http_server: { path: "/positions/{id}" } }
      output: { drop: {} }
`;

test("each route of a definition lists its schemes and scopes", async () => {
  const { routes = [], diagnostics } = await compileDefinition({ path: "rides.yaml", text });
  assert.equal(
    diagnostics.filter(({ severity }) => severity === "error"),
    [],
  );
  assert.equal(describeRoutes(routes), [
    {
      transport: "http",
      path: "/rides/positions/{id}",
      stream: "positions",
      callers: { POST: "token (scopes position:write, ride:read) and key or token (scope admin)" },
    },
    { transport: "http", path: "/rides/open", callers: { GET: "open" } },
    { transport: "http", path: "/rides/*", callers: { "*": "key or token (scope ride:read)" } },
  ]);
});

test.run();
