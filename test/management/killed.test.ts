import { createHash } from "node:crypto";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openManagementStore } from "../../management/store/open.ts";
import { readManifest } from "../../runtime/gateway/artifact/manifest.ts";
import { createLogger } from "../../runtime/process/log.ts";
import { parseStoreAddress } from "../../runtime/store/address.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { startSluice } from "../harness/sluice.ts";
import { until } from "../harness/wait.ts";
import { definitionOf, ownType } from "./definitions.ts";
import { ask, keys } from "./services.ts";

const killings = 5;
const path = "/apis/streams";

/** Changes the three definitions in turn until the service is killed; resolves with the confirmed and the possible texts. */
async function changeUntilGone(
  address: string,
  texts: Map<string, Set<string>>,
  round: number,
  progress: { confirmed: number },
): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    const id = `api-${turn % 3}`;
    const text = definitionOf(`/${id}/`, { id, mapping: `root = "text-${round}-${turn}."` });
    const known = texts.get(id);
    // Until the service confirms it, it is unknown whether the text was stored.
    texts.set(id, new Set([...(known ?? []), text]));
    try {
      const { status } =
        known === undefined
          ? await ask(address, "POST", path, text, ownType)
          : await ask(address, "PUT", `${path}/${id}`, text, ownType);
      if (status !== 200 && status !== 409 && status !== 404) continue;
      if (status === 200) texts.set(id, new Set([text]));
      if (status === 404) texts.delete(id);
      progress.confirmed += 1;
    } catch {
      return;
    }
  }
}

test("after a kill at any moment, the store of a restarted service matches its deployments", async () => {
  const cwd = temporaryDirectory("killed");
  const store = `sqlite:${join(cwd, "own.db")}`;
  const env = {
    GW_MANAGEMENT_API_KEYS: keys.own,
    GW_MANAGEMENT_LISTEN: "127.0.0.1:0",
    GW_MANAGEMENT_STREAMING_ENABLED: "true",
    GW_STORE_URL: store,
  };
  const texts = new Map<string, Set<string>>();
  for (let round = 1; round <= killings; round += 1) {
    const program = startSluice(["serve"], { cwd, env });
    const [, address = ""] = await program.matching(/"management":"([^"]+)"/);
    await agrees(address, texts);
    const progress = { confirmed: 0 };
    const changing = changeUntilGone(address, texts, round, progress);
    await until(() => progress.confirmed >= 3, { what: "confirmed changes" });
    // A random moment: while the service compiles a definition, makes a deployment, or runs a transaction.
    await pause(Math.random() * 400);
    assert.is(await program.stop("SIGKILL"), "SIGKILL");
    await changing;
    await everythingIsWhole(store);
  }
  const program = startSluice(["serve"], { cwd, env });
  const [, address = ""] = await program.matching(/"management":"([^"]+)"/);
  await agrees(address, texts);
  assert.is(await program.stop(), 0);
});

/** Asserts that everything confirmed is stored, and that the deployment matches the store. */
async function agrees(address: string, texts: ReadonlyMap<string, ReadonlySet<string>>): Promise<void> {
  const expected = new Map<string, string>();
  for (const [id, possible] of texts) {
    const { status, text } = await ask(address, "GET", `${path}/${id}`);
    if (status === 400 && possible.size === 1) continue; // made when it was killed, and not confirmed
    assert.ok(possible.has(text), `${id}: ${text}`);
    expected.set(id, text);
  }
  await until(async () => {
    const { apis } = readManifest(Buffer.from((await ask(address, "GET", "/deployments/current")).text));
    for (const [id, text] of expected) {
      const { text: code } = await ask(
        address,
        "GET",
        `/artifacts/${apis.find((api) => api.id === id)?.module}`,
      );
      if (!code.includes(/text-[\d-]+\./.exec(text)?.[0] ?? "?")) return false;
    }
    return apis.length === expected.size;
  });
}

/** Asserts that every deployment has all its modules, each with the digest in its name, and every API has its version. */
async function everythingIsWhole(url: string): Promise<void> {
  const store = await openManagementStore(parseStoreAddress(url), createLogger("silent"));
  await store.read(async (connection) => {
    const blobs = await connection.selectFrom("management_blobs").selectAll().execute();
    const digests = new Set(blobs.map(({ digest }) => digest));
    for (const { digest, code } of blobs) assert.is(createHash("sha256").update(code).digest("hex"), digest);
    for (const { manifest } of await connection.selectFrom("management_deployments").selectAll().execute()) {
      const { gateway, apis } = readManifest(Buffer.from(manifest));
      for (const { module } of [gateway, ...apis]) assert.ok(digests.has(module));
    }
    const versions = await connection
      .selectFrom("management_versions")
      .select(["api_id", "version", "digest"])
      .execute();
    for (const { id, version, digest } of await connection
      .selectFrom("management_apis")
      .select(["id", "version", "digest"])
      .execute()) {
      const found = versions.find((each) => each.api_id === id && each.version === version);
      assert.is(found?.digest, digest);
    }
    const changes = await connection.selectFrom("management_audit").select("number").execute();
    assert.is(changes.length, versions.length, "each version was stored with its record in the audit log");
  });
  await store.close();
}

test.run();
