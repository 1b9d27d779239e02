import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { apiOf } from "../harness/api-documents.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";
import { sluice, startSluice } from "../harness/sluice.ts";
import { until } from "../harness/wait.ts";

const key = "key-of-this-test";

/** Starts a service that returns these responses about a stream one after the other, and then responses without news. */
async function serviceOf(answers: readonly { readonly status?: number; readonly body: string }[]) {
  const asked: string[] = [];
  let next = 0;
  const service = await httpServer(({ method, path, headers }) => {
    asked.push(`${method} ${path}`);
    if (headers.authorization !== `Bearer ${key}`) return { status: 403, body: '{"Message":"Refused."}' };
    if (method === "POST") return { body: "{}" };
    next += 1;
    return answers[next - 1] ?? { body: '{"Data":[],"Missed":0}' };
  });
  return { ...service, asked };
}

const message = (number: number, content: string, more: object = {}) => ({
  ...{ number, at: "2026-01-01T00:00:00.000Z", gateway: "gw-1", content, isCut: false },
  ...{ size: content.length, metadata: {}, isDeadLetter: false, ...more },
});
const page = (Data: readonly object[], Missed = 0) => ({ body: JSON.stringify({ Data, Missed }) });

test("messages are printed as they arrive, without terminal control characters", async () => {
  const hostile = '{"a":"\u001B[31mred"}\n\tsecond \u0007line';
  const service = await serviceOf([
    page([message(1, hostile, { metadata: { "na\u001Bme": "o\rne" }, isDeadLetter: true })]),
    page([message(2, "long", { isCut: true, size: 9000 }), message(3, "", { size: 300_000 })], 4),
    page([message(4, "never shown")], 4),
  ]);
  const args = ["tail", service.url, "shop/one/intake", "--count", "3"];
  const { status, stdout, stderr } = await sluice(args, { env: { GW_MANAGEMENT_TOKEN: key } });
  assert.is(status, 0, stderr);
  const head = "2026-01-01T00:00:00.000Z  gw-1";
  assert.is(
    stdout,
    [
      `${head}  ${hostile.length} bytes  dead letter\n  na me: o ne\n{"a":" [31mred"}\n\tsecond  line\n`,
      `${head}  9000 bytes\nlong …\n`,
      `${head}  300000 bytes\n(not shown: too large, or no text)\n`,
      "",
    ].join("\n"),
  );
  assert.is(stderr, "4 more messages have passed without being shown\n");
  assert.equal(service.asked.slice(0, 2), [
    "POST /api/streams/shop%2Fone/intake/tail",
    "GET /api/streams/shop%2Fone/intake/tail?after=0&wait=10",
  ]);
  assert.match(service.asked[2] ?? "", "after=1&");
  await service.close();
});

test("tail restarts on a restarted service, and retries an unavailable one", async () => {
  const service = await serviceOf([
    page([message(7, "before")]),
    { status: 404, body: '{"Message":"This stream is not being tailed."}' },
    { status: 503, body: "away" },
    page([message(1, "after")]),
  ]);
  const { status, stdout, stderr } = await sluice(
    ["tail", service.url, "shop/intake", "--count", "2", "--json"],
    { env: { GW_MANAGEMENT_TOKEN: key } },
  );
  const meaning = "a proxy in front of it has no server for the request; check whether it runs";
  assert.equal(
    [status, stderr],
    [0, `sluice: ${service.url} answered with status 503 (${meaning}); trying again\n`],
  );
  const contents = stdout.trimEnd().split("\n");
  assert.equal(
    contents.map((line) => JSON.parse(line).content),
    ["before", "after"],
  );
  assert.is(service.asked.filter((each) => each.startsWith("POST")).length, 2);
  await service.close();
});

test("rejected requests and unreachable services are reported in one line with an exit code", async () => {
  const service = await serviceOf([]);
  const page = await httpServer(() => ({ body: "<html>", headers: { "content-type": "text/html" } }));
  const tail = (args: readonly string[], token = key) =>
    sluice(["tail", ...args], { env: { GW_MANAGEMENT_TOKEN: token } });
  const rows: readonly (readonly [readonly string[], string, number, RegExp])[] = [
    [[service.url, "shop/intake"], "another", 1, /^sluice: Refused\.\n$/],
    [[service.url, "shop/intake"], "", 64, /^sluice: GW_MANAGEMENT_TOKEN is not set/],
    [
      [service.url, "intake"],
      key,
      64,
      /^sluice: `intake` is not a stream; write the id of its API and its name/,
    ],
    [
      ["http://shop:open@127.0.0.1:1", "shop/intake"],
      key,
      64,
      /^sluice: expected .*, without credentials\n$/,
    ],
    [["http://127.0.0.1:1", "shop/intake"], key, 1, /^sluice: http:\/\/127\.0\.0\.1:1 is unreachable/],
    [
      [page.url, "shop/intake"],
      key,
      1,
      /^sluice: \S+ is not a management service \(status 200, text\/html\)\n$/,
    ],
  ];
  for (const [args, token, status, words] of rows) {
    const run = await tail(args, token);
    assert.is(run.status, status, args.join(" "));
    assert.match(run.stderr, words);
  }
  await Promise.all([service.close(), page.close()]);
});

test("a real service shows the messages of a gateway, with secrets masked", async () => {
  const cwd = temporaryDirectory("tail");
  writeFileSync(join(cwd, "management.yaml"), "streaming: { enabled: true }\ntail: { enabled: true }\n");
  const listen = {
    GW_MANAGEMENT_API_KEYS: key,
    ...{ GW_MANAGEMENT_LISTEN: "127.0.0.1:0", GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0" },
  };
  const program = startSluice(["serve", "management.yaml", "--all-in-one"], { cwd, env: listen });
  const [, service = ""] = await program.matching(/"management":"(http[^"]+)"/);
  const [, served = ""] = await program.matching(/"gateway":"(http[^"]+)"/);
  const definition = apiOf("intake:\n  input: { http_server: { path: /new } }\n  output: { drop: {} }\n", {
    id: "orders",
  });
  const made = await fetch(`${service}/api/apis/streams`, {
    method: "POST",
    headers: { authorization: key, "content-type": "application/yaml" },
    body: definition,
  });
  assert.is(made.status, 200, await made.text());
  const post = () =>
    fetch(`${served}/orders/new`, { method: "POST", body: '{"id":"a1","password":"hunter2"}' });
  await until(async () => (await post()).status === 200);
  const watching = startSluice(["tail", service, "orders/intake", "--count", "1", "--json"], {
    env: { GW_MANAGEMENT_TOKEN: key },
  });
  // The service learns about the gateway from its next report.
  // Standard error, where messages that passed are counted, may be read first.
  const [line] = await until(
    async () => {
      await post();
      return /^\{.*\}$/m.exec(watching.output());
    },
    { what: "a message" },
  );
  const shown = JSON.parse(line);
  assert.equal(JSON.parse(shown.content), { id: "a1", password: "•••" });
  await watching.stop();
  await program.stop();
});

test.run();
