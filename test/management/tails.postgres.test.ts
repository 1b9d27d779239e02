import { test } from "uvu";
import * as assert from "uvu/assert";
import { reportTo } from "../../runtime/gateway/artifact/serve-source.ts";
import { managementSource } from "../../runtime/gateway/artifact/settings.ts";
import { Tailing } from "../../runtime/gateway/tail/tailing.ts";
import { Message } from "../../runtime/message/message.ts";
import { createLogger } from "../../runtime/process/log.ts";
import type { Tap } from "../../runtime/stream/observer.ts";
import { until } from "../harness/wait.ts";
import { freshFile } from "../runtime/store/databases.ts";
import { definitionOf, ownType } from "./definitions.ts";
import { keys, startTestService } from "./services.ts";

const tail = "/streams/shop/intake/tail";
const switchedOn = { settings: { tail: { enabled: true, redact: ["email"] } } };

async function serviceWithApi(options = switchedOn) {
  const service = await startTestService(await freshFile(), options);
  const made = await service.ask("POST", "/apis/streams", definitionOf("/shop/", { id: "shop" }), ownType);
  assert.is(made.status, 200);
  return service;
}

test("tailing messages requires the write permission, and must be enabled", async () => {
  const off = await startTestService(await freshFile());
  const refused = await off.ask("POST", tail);
  assert.equal(
    [refused.status, refused.body.Message],
    [403, "Tailing messages is disabled by `tail.enabled` in management.yaml."],
  );
  await off.close();
  const service = await serviceWithApi();
  assert.is((await service.ask("GET", tail)).status, 404);
  assert.is((await service.ask("POST", tail, undefined, { authorization: keys.other })).status, 404);
  const { Meta } = (await service.ask("POST", "/users", { name: "ada", permissions: ["read"] })).body;
  const authorization = (Meta as { access_key: string }).access_key;
  assert.is((await service.ask("POST", tail, undefined, { authorization })).status, 403);
  assert.is((await service.ask("GET", tail, undefined, { authorization })).status, 403);
  for (const name of ["intakes", "__proto__", "toString"])
    assert.is((await service.ask("POST", `/streams/shop/${name}/tail`)).status, 404, name);
  assert.is((await service.ask("POST", tail)).status, 200);
  assert.equal((await service.ask("GET", tail)).body, { Data: [], Missed: 0 });
  const [{ action, object, detail } = {}] = (await service.ask("GET", "/audit?object=shop")).body.Data;
  assert.equal([action, object, detail], ["tailStream", "shop", "intake"]);
  await service.close();
});

test("a remote gateway captures messages while a client tails, and sends them to the service", async () => {
  const service = await serviceWithApi();
  const tap: Tap = { listener: undefined };
  const ending = new AbortController();
  const source = managementSource({ url: new URL(service.address), token: keys.own, id: "gw-1" });
  let deployment = 0;
  const reporting = reportTo(
    source,
    () => {
      deployment += 1;
      return { deployment, outcomes: [], needsRestart: false, runtime: "sha256-0", streams: [] };
    },
    {
      log: createLogger("silent"),
      signal: ending.signal,
      tailing: new Tailing((api, stream) => (api === "shop" && stream === "intake" ? tap : undefined)),
    },
  );
  await service.ask("POST", tail);
  const look = await until(() => tap.listener, { what: "the gateway to look" });
  const text = `{"id":1,"email":"ada@example.com","password":"secret"}`;
  look([Message.fromText(text), ...Array.from({ length: 25 }, () => Message.fromText("more"))], false);
  const { body } = await service.ask("GET", `${tail}?wait=15`);
  assert.is(body.Data.length, 20);
  assert.equal(
    [body.Missed, body.Data[0]?.gateway, body.Data[0]?.number, body.Data[0]?.content],
    [6, "gw-1", 1, `{"email":"•••","id":1,"password":"•••"}`],
  );
  assert.equal(
    (await service.ask("GET", `${tail}?after=19`)).body.Data.map(({ number }) => number),
    [20],
  );
  // The store contains nothing of it.
  assert.not.match((await service.ask("GET", "/gateways")).text, "more");
  ending.abort();
  await reporting;
  assert.is(tap.listener, undefined);
  await service.close();
});

test("messages that are not tailed are dropped, and larger ones than agreed are rejected", async () => {
  const service = await serviceWithApi();
  const message = { at: "", content: "a", isCut: false, size: 1, metadata: {}, isDeadLetter: false };
  const hand = (messages: readonly object[]) =>
    service.ask("POST", "/gateways/gw-1/messages", {
      streams: [{ api: "shop", stream: "intake", missed: 0, messages }],
    });
  const before = await hand([message]);
  assert.equal([before.status, before.body.Tail], [200, undefined]);
  await service.ask("POST", tail);
  assert.equal((await service.ask("GET", tail)).body.Data, []);
  assert.equal((await hand([message])).body.Tail, {
    streams: [{ api: "shop", stream: "intake" }],
    redact: ["email"],
  });
  assert.is((await service.ask("GET", tail)).body.Data.length, 1);
  assert.is((await hand([{ ...message, content: "a".repeat(4097) }])).status, 422);
  assert.is((await hand(Array.from({ length: 21 }, () => message))).status, 422);
  await service.close();
});

test("waiting clients are released when the service stops", async () => {
  const service = await serviceWithApi();
  await service.ask("POST", tail);
  const waiting = service.ask("GET", `${tail}?wait=15`).then(
    ({ status }) => status,
    () => "cut off",
  );
  await service.close();
  assert.ok([200, "cut off"].includes(await waiting));
});

test.run();
