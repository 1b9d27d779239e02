import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { temporaryDirectory } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";
import { buildAndStart } from "./gateway.ts";

const document = `openapi: 3.1.0
info: { title: Notes, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    notes:
      input:
        http_server:
          path: "/notes/{room}"
          timeout: $gw_context.request_data_timeout
      output:
        http_client:
          url: "\${BACKEND}/$gw_context.headers_X_Tenant/\${! @room }"
          headers: { X-Region: "eu-$gw_context.cookies_region" }
`;

test("fields read the request that an instance is made for", async () => {
  const backend = await httpServer();
  const file = join(temporaryDirectory("notes"), "notes.yaml");
  writeFileSync(file, document);
  const gateway = await buildAndStart([file], { BACKEND: backend.url });
  const post = (tenant: string, region: string, timeout = "5s") =>
    fetch(`${gateway.url}/notes/main?timeout=${timeout}`, {
      method: "POST",
      body: "hello",
      headers: { "x-tenant": tenant, cookie: `region=${region}` },
    });

  assert.is((await post("acme", "north")).status, 200);
  assert.is((await post("other", "south")).status, 200);
  assert.equal(
    backend.requests.map(({ path, headers }) => [path, headers["x-region"]]),
    [
      ["/acme/main", "eu-north"],
      ["/other/main", "eu-south"],
    ],
  );
  const refused = await post("acme", "north", "soon");
  assert.equal(
    [refused.status, await refused.json()],
    [400, { error: "The query parameter timeout does not read as a duration such as 5s" }],
  );
  const { streams } = JSON.parse(await (await fetch(`${gateway.adminUrl}/streams`)).text());
  assert.equal(
    streams.map(({ stream, instance }: { stream: string; instance: number }) => [stream, instance]),
    [
      ["notes", 1],
      ["notes", 2],
    ],
  );
  assert.is(await gateway.program.stop(), 0);
  await backend.close();
});

test.run();
