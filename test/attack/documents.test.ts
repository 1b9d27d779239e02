import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hashSync } from "bcryptjs";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { hashKey } from "../../runtime/keys/key-hash.ts";
import { type BuiltGateway, startBundle } from "../e2e/gateway.ts";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";
import { warmSluice } from "../harness/sluice.ts";
import { answersTo, request } from "./attacked.ts";
import { createChance, type DeclaredRoute, randomRequest } from "./random-requests.ts";

/** `SEED=7 node test/attack/documents.test.ts` generates different requests. */
const seed = Number(process.env.SEED ?? 1);
const requestCount = 400;
const atOnce = 50;
const key = "the only key there is";

interface Row {
  readonly stream: string;
  readonly instance?: number;
  readonly clients?: number;
  readonly messages: { readonly received: number };
}

async function rowsOf({ adminUrl }: BuiltGateway): Promise<readonly Row[]> {
  return ((await (await fetch(`${adminUrl}/streams`)).json()) as { streams: Row[] }).streams;
}

for (const [document, good] of [
  ["test/attack/documents/gateway.yaml", request("/rooms/say?key=the+only+key+there+is")],
  ["examples/keys/gateway.yaml", request("/orders/new", { headers: [`X-Api-Key: ${key}`] })],
] as const) {
  test(`${document}: no request without a valid credential reaches a stream (seed ${seed})`, async () => {
    const backend = await httpServer();
    const folder = temporaryDirectory("attack");
    const built = await warmSluice(["build", document, "-o", folder], { cwd: projectRoot });
    assert.is(built.status, 0, built.stdout + built.stderr);
    const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as {
      readonly apis: readonly {
        readonly streams: readonly { readonly routes: readonly DeclaredRoute[] }[];
      }[];
    };
    const routes = manifest.apis.flatMap(({ streams }) => streams.flatMap((stream) => stream.routes));
    assert.ok(routes.length >= 2);
    const hashes = {
      KEY_HASH: hashKey(key),
      SHOP_KEY_HASH: hashKey(key),
      DASHBOARD_KEY_HASH: hashKey("another"),
    };
    const passwords = { PASSWORD_HASH: hashSync("blue", 4), ANN_PASSWORD_HASH: hashSync("blue", 4) };
    const gateway = await startBundle(folder, { ...hashes, ...passwords, BACKEND: backend.url });
    const port = Number(new URL(gateway.url).port);

    const chance = createChance(seed);
    const counts = new Map<number, number>();
    for (let sent = 0; sent < requestCount; sent += atOnce) {
      const batch = Array.from({ length: atOnce }, () => randomRequest(chance, routes));
      await Promise.all(
        batch.map(async (bytes) => {
          for (const status of await answersTo(port, bytes)) {
            assert.ok(status === 100 || status >= 400, `${status} for\n${bytes}`);
            counts.set(status, (counts.get(status) ?? 0) + 1);
          }
        }),
      );
    }
    // Most requests must fail at the credential, and not only because of their path.
    const asked = (counts.get(401) ?? 0) + (counts.get(403) ?? 0);
    assert.ok(asked > requestCount / 2, JSON.stringify([...counts]));
    for (const row of await rowsOf(gateway)) {
      const taken = [
        row.clients ?? 0,
        row.instance ?? 0,
        row.stream === "events" ? 0 : row.messages.received,
      ];
      assert.equal(taken, [0, 0, 0], JSON.stringify(row));
    }
    assert.is(backend.requests.length, 0);

    const [status] = await answersTo(port, good);
    assert.ok(status === 200 || status === 408, String(status));
    assert.ok((await rowsOf(gateway)).some(({ messages }) => messages.received > 0));
    assert.is(await gateway.program.stop(), 0);
    await backend.close();
  });
}

test.run();
