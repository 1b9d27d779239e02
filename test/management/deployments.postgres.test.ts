import { createHash, generateKeyPairSync, type KeyObject } from "node:crypto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { type ArtifactManifest, readManifest } from "../../runtime/gateway/artifact/manifest.ts";
import { isSigned } from "../../runtime/gateway/artifact/signature.ts";
import { until } from "../harness/wait.ts";
import { freshFile, testedDatabases } from "../runtime/store/databases.ts";
import { definitionOf, ownType } from "./definitions.ts";
import { keys, startTestService, type TestService } from "./services.ts";

const path = "/apis/streams";

/** Resolves with the newest manifest, when `isMeant` accepts it. */
function deployed(
  service: TestService,
  isMeant: (manifest: ArtifactManifest) => boolean,
): Promise<ArtifactManifest> {
  return until(async () => {
    const { text } = await service.ask("GET", "/deployments/current");
    const manifest = readManifest(Buffer.from(text));
    return isMeant(manifest) && manifest;
  });
}

const idsOf = ({ apis }: ArtifactManifest) => apis.map(({ id }) => id).join(" ");

for (const [title, fresh] of testedDatabases()) {
  test(`${title}: definitions are deployed, and unchanged ones are not recompiled`, async () => {
    const service = await startTestService(await fresh());
    await deployed(service, ({ apis }) => apis.length === 0);
    for (const id of ["a", "b"]) await service.ask("POST", path, definitionOf(`/${id}/`, { id }), ownType);
    const first = await deployed(service, (manifest) => idsOf(manifest) === "a b");
    for (const { module, imports } of [first.gateway, ...first.apis]) {
      const { text, status } = await service.ask("GET", `/artifacts/${module}`);
      assert.is(status, 200);
      assert.is(createHash("sha256").update(text).digest("hex"), module);
      for (const name of imports) assert.match(text, `require("sluice/${name}")`);
    }
    const changed = definitionOf("/a/", { id: "a", mapping: "root.x = 1" });
    assert.is((await service.ask("PUT", `${path}/a`, changed, ownType)).status, 200);
    const second = await deployed(service, ({ apis }) => apis[0]?.module !== first.apis[0]?.module);
    assert.equal(second.apis[1], first.apis[1]);
    assert.not.equal(second.apis[0]?.streams.intake?.pipeline, first.apis[0]?.streams.intake?.pipeline);
    assert.is(second.apis[0]?.streams.intake?.input, first.apis[0]?.streams.intake?.input);
    await service.ask("DELETE", `${path}/b`);
    const third = await deployed(service, (manifest) => idsOf(manifest) === "a");
    assert.ok(third.number > second.number);

    const { Data } = (await service.ask("GET", "/deployments?p=-1")).body;
    assert.is(Data[0]?.number, third.number);
    // A deployment uses only the compiled output of the accepted definitions.
    assert.ok(Data.every((each) => each.compiled_apis === 0));
    await service.close();
  });

  test(`${title}: a deployment can be rolled back to, regardless of later changes and deletions`, async () => {
    const service = await startTestService(await fresh());
    const texts = ["root.a = 1", "root.b = 2"].map((mapping) => definitionOf("/a/", { id: "a", mapping }));
    await service.ask("POST", path, texts[0], ownType);
    const first = await deployed(service, (manifest) => idsOf(manifest) === "a");
    await service.ask("PUT", `${path}/a`, texts[1], ownType);
    await service.ask("POST", path, definitionOf("/b/", { id: "b" }), ownType);
    await service.ask("DELETE", `${path}/a`);
    await deployed(service, (manifest) => idsOf(manifest) === "b");

    const back = await service.ask("POST", `/deployments/${first.number}/rollback`);
    assert.is(back.status, 200, back.text);
    const restored = await deployed(service, (manifest) => idsOf(manifest) === "a");
    assert.equal(restored.apis, first.apis);
    assert.is((await service.ask("GET", `${path}/a`)).text, texts[0]);
    const { Data, Current } = (await service.ask("GET", `${path}/a/versions`)).body;
    assert.equal([Data.map(({ version }) => version), Current], [[3, 2, 1], 3]);
    assert.is((await service.ask("POST", "/deployments/99999/rollback")).status, 404);
    await service.close();
  });

  test(`${title}: reported states of streams are shown, and requested states are deployed`, async () => {
    const service = await startTestService(await fresh());
    await service.ask("POST", path, definitionOf("/a/", { id: "a" }), ownType);
    const { number } = await deployed(service, (manifest) => idsOf(manifest) === "a");
    const [unknown] = (await service.ask("GET", "/streams")).body.Data;
    assert.equal([unknown?.api_id, unknown?.stream, unknown?.state], ["a", "intake", "unknown"]);
    const report = (status: string, received: number) => ({
      deployment: number,
      outcomes: [{ api: "a", outcome: "applied" }],
      needsRestart: false,
      runtime: `sha256-${"0".repeat(64)}`,
      streams: [
        {
          api: "a",
          stream: "intake",
          status,
          messages: { received },
          ...(status === "failed" && { reason: "why" }),
        },
      ],
    });
    assert.is((await service.ask("POST", "/gateways/one/report", report("running", 2))).status, 200);
    assert.is((await service.ask("POST", "/gateways/two/report", report("failed", 3))).status, 200);
    const [known] = (await service.ask("GET", "/streams?api=a")).body.Data;
    assert.equal([known?.state, known?.reason, known?.messages], ["failed", "why", { received: 5 }]);
    assert.equal((await service.ask("GET", "/streams?api=b")).body.Data, []);
    assert.equal(
      (await service.ask("GET", "/streams", undefined, { authorization: keys.other })).body.Data,
      [],
    );
    assert.equal(
      (await service.ask("GET", "/gateways")).body.Data.map(({ id, deployment, lost }) => [
        id,
        deployment,
        lost,
      ]),
      [
        ["one", number, false],
        ["two", number, false],
      ],
    );
    const listed = (await service.ask("GET", "/deployments")).body.Data.find(
      (each) => each.number === number,
    );
    const outcomes = listed?.gateways as { gateway: string; outcomes: unknown; took: number }[];
    assert.equal(
      outcomes.map(({ gateway, outcomes: of }) => [gateway, of]).sort(),
      ["one", "two"].map((gateway) => [gateway, [{ api: "a", outcome: "applied" }]]),
    );

    const at = "/streams/a/intake";
    for (const command of ["stop", "restart", "restart"])
      assert.is((await service.ask("POST", `${at}/${command}`)).status, 200);
    const stopped = await deployed(service, ({ apis }) => apis[0]?.restarts?.intake === 2);
    assert.equal(stopped.apis[0]?.stopped, ["intake"]);
    assert.is((await service.ask("GET", "/streams")).body.Data[0]?.wanted, "stopped");
    await service.ask("POST", `${at}/start`);
    await deployed(service, ({ apis }) => apis[0]?.stopped === undefined);
    assert.is((await service.ask("POST", "/streams/a/other/stop")).status, 404);
    const foreign = await service.ask("POST", `${at}/stop`, undefined, { authorization: keys.other });
    assert.is(foreign.status, 404);
    const audit = (await service.ask("GET", "/audit?object=a&p=-1")).body.Data;
    assert.equal(audit.map(({ action, detail }) => [action, detail]).slice(0, 2), [
      ["startStream", "intake"],
      ["restartStream", "intake"],
    ]);
    await service.close();
  });
}

test("a client with the newest deployment waits for the next", async () => {
  const service = await startTestService(await freshFile());
  const first = await until(async () => {
    const answer = await service.ask("GET", "/deployments/current");
    return answer.status === 200 && answer;
  });
  const etag = first.headers.get("etag") ?? "";
  assert.is(etag, `"${createHash("sha256").update(first.text).digest("hex")}"`);
  const known = { "if-none-match": etag };
  assert.is((await service.ask("GET", "/deployments/current?wait=0", undefined, known)).status, 304);
  const waiting = service.ask("GET", "/deployments/current?wait=60", undefined, known);
  await service.ask("POST", path, definitionOf("/a/", { id: "a" }), ownType);
  const next = await waiting;
  assert.equal([next.status, idsOf(readManifest(Buffer.from(next.text)))], [200, "a"]);

  // A waiting client does not delay the shutdown of the service.
  const last = { "if-none-match": next.headers.get("etag") ?? "" };
  const late = service.ask("GET", "/deployments/current?wait=60", undefined, last).catch(() => undefined);
  await service.close();
  await late;
});

function signingKey(): { readonly pem: string; readonly publicKey: KeyObject } {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return { pem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(), publicKey };
}

async function isCurrentSignedBy(service: TestService, key: KeyObject): Promise<boolean> {
  const { headers, text } = await service.ask("GET", "/deployments/current");
  return isSigned(Buffer.from(text), headers.get("x-gw-signature") ?? "", key);
}

test("deployments are signed if a key is configured", async () => {
  const { pem, publicKey } = signingKey();
  const service = await startTestService(await freshFile(), { environment: { GW_SIGNING_KEY: pem } });
  await until(() => isCurrentSignedBy(service, publicKey));
  await service.close();
});

test("a service that gets another key signs the current deployment with it, without a new one", async () => {
  const file = await freshFile();
  const keys = [signingKey(), signingKey()];
  const unsigned = await startTestService(file);
  await until(async () => (await unsigned.ask("GET", "/deployments/current")).status === 200);
  await unsigned.close();
  for (const { pem, publicKey } of keys) {
    const service = await startTestService(file, { environment: { GW_SIGNING_KEY: pem } });
    await until(() => isCurrentSignedBy(service, publicKey));
    const { text } = await service.ask("GET", "/deployments/current");
    assert.is(JSON.parse(text).number, 1);
    await service.close();
  }
});

test("deployments require a key of the installation with the gateway permission", async () => {
  const service = await startTestService(await freshFile());
  const made = await service.ask("POST", "/users", { name: "gateways", permissions: ["gateway"] });
  const gateway = { authorization: (made.body.Meta as { access_key: string }).access_key };
  await until(
    async () => (await service.ask("GET", "/deployments/current", undefined, gateway)).status === 200,
  );
  assert.is((await service.ask("GET", path, undefined, gateway)).status, 403);
  for (const at of ["/deployments/current", "/deployments", "/gateways", `/artifacts/${"0".repeat(64)}`]) {
    assert.is((await service.ask("GET", at, undefined, { authorization: keys.other })).status, 403, at);
  }
  assert.is((await service.ask("GET", `/artifacts/${"0".repeat(64)}`, undefined, gateway)).status, 404);
  await service.close();
});

test("a restarted service continues from its store", async () => {
  const store = await freshFile();
  const one = await startTestService(store);
  await one.ask("POST", path, definitionOf("/a/", { id: "a" }), ownType);
  const first = await deployed(one, (manifest) => idsOf(manifest) === "a");
  await one.close();
  const two = await startTestService(store);
  assert.equal(await deployed(two, () => true), first);
  await two.close();
});

test.run();
