import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
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

test("fields read the request that created their instance", async () => {
  const backend = await httpServer();
  const file = join(temporaryDirectory("notes"), "notes.yaml");
  writeFileSync(file, document);
  const gateway = await buildAndStart([file], { BACKEND: backend.url });
  const post = (tenant: string, region: string, timeout = "60s") =>
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

const events = `openapi: 3.1.0
info: { title: Events, version: 1.0.0 }
paths: {}
x-tyk-streaming:
  streams:
    events:
      input: { http_server: { path: /push-event, timeout: 60s } }
      pipeline:
        processors:
          - mapping: |
              root = this
              root.user_id = "$tyk_context.request_data_user"  # or $tyk_context.jwt.claims.sub
      output: { http_server: { path: /get-event, timeout: 2s } }
    guarded:
      input: { http_server: { path: /guarded } }
      pipeline:
        processors:
          - switch:
            - check: this.user != "$tyk_context.request_data_user"
              processors: [{ mapping: 'root = throw("not yours")' }]
      output: { sync_response: {} }
    echo:
      input: { http_server: { path: /echo } }
      pipeline:
        processors:
          - branch:
              request_map: 'root.value = "$gw_context.request_data_value"'
              processors: [{ noop: {} }]
              result_map: root.branch = this.value
          - mapping: |
              map same { root = this == $gw_context.request_data_value }
              root = this
              root.text = "<$gw_context.request_data_value>"
              root.bare = $gw_context.request_data_value
              root.length = $gw_context.request_data_value.length()
              root.is_same = this.value.apply("same")
              root.matched = match this.value { "$gw_context.request_data_value" => "yes", _ => "no" }
              root.object = { "$gw_context.request_data_value": 1 }
              root.list = ["""$gw_context.request_data_value"""]
              root.written = "\\x24gw_context.request_data_value"
              meta value = $gw_context.request_data_value.encode("hex")
      output:
        sync_response: {}
`;

test("a script reads the request as data, so that a client gets only its own events", async () => {
  const file = join(temporaryDirectory("events"), "events.yaml");
  writeFileSync(file, events);
  const gateway = await buildAndStart([file]);
  const push = fetch(`${gateway.url}/push-event?user=alice`, { method: "POST", body: '{"for":"alice"}' });
  const other = await fetch(`${gateway.url}/get-event?user=bob`);
  assert.is(other.status, 408, await other.text());
  const own = await fetch(`${gateway.url}/get-event?user=alice`);
  assert.equal(await own.json(), { for: "alice", user_id: "alice" });
  assert.is((await push).status, 200);

  const guarded = async (user: string) => {
    const body = '{"user":"alice"}';
    return (await fetch(`${gateway.url}/guarded?user=${user}`, { method: "POST", body })).status;
  };
  assert.equal([await guarded("alice"), await guarded("bob")], [200, 422]);

  const hostile = fc.oneof(
    fc.constantFrom(
      '"',
      '"+deleted()+"',
      '" + env("HOME") + "',
      '${! env("HOME") }',
      "${HOME}",
      "$gw_context.request_data_user",
      "\\",
      "`${process.env.HOME}`",
      "a\nroot = deleted()",
      "\r\n# comment",
      "__proto__",
      "constructor",
      "\u2028",
      "</script>",
      "a%00b",
    ),
    fc.string({ minLength: 1, unit: "binary" }),
  );
  await fc.assert(
    fc.asyncProperty(hostile, async (value) => {
      const path = `${gateway.url}/echo?value=${encodeURIComponent(value)}`;
      const answer = await fetch(path, { method: "POST", body: JSON.stringify({ value }) });
      assert.is(answer.status, 200, JSON.stringify(value));
      const object = Object.fromEntries([[value, 1]]);
      assert.equal(await answer.json(), {
        value,
        branch: value,
        text: `<${value}>`,
        bare: value,
        length: Buffer.byteLength(value),
        is_same: true,
        matched: "yes",
        object,
        list: [value],
        written: "$gw_context.request_data_value",
      });
    }),
    { seed: 14, numRuns: 60 },
  );
  assert.is(await gateway.program.stop(), 0);
});

test.run();
