import { generateKeyPairSync } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { writeHighest } from "../../../runtime/gateway/artifact/artifact-folder.ts";
import { ProcessError } from "../../../runtime/gateway/artifact/deployer.ts";
import { readSigningKey, readVerifyKey, signBytes } from "../../../runtime/gateway/artifact/signature.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import {
  apiModule,
  keys,
  memorySource,
  moduleOf,
  type Packed,
  pack,
  recordingDeployer,
} from "./deployments.ts";

const { signal } = new AbortController();

/** The message that `promise` rejects with. */
async function rejection(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.instance(error, Error);
  return (error as Error).message;
}

/** Returns a deployer that has taken one deployment, and the source of the next one. */
async function serving(options: Parameters<typeof recordingDeployer>[0] = {}) {
  const made = recordingDeployer(options);
  const source = memorySource();
  const take = (packed: Packed) => {
    source.serve(packed);
    return made.deployer.take(packed, source, signal);
  };
  await take(pack({ number: 5, apis: { orders: apiModule("orders", 1) } }));
  return { ...made, source, take };
}

/** Returns the text of a module that records that it ran. */
const noting = (name: string) => `globalThis[Symbol.for(${JSON.stringify(name)})] = true`;
const ran = (name: string) => Object.hasOwn(globalThis, Symbol.for(name));

test("the process starts once, and every deployment is applied", async () => {
  const { gateway, deployer, take } = await serving();
  await take(pack({ number: 6, apis: { orders: apiModule("orders", 2), chat: apiModule("chat", 1) } }));
  assert.is(gateway.started.length, 1);
  assert.equal(gateway.applied, [["orders version 1"], ["orders version 2", "chat version 1"]]);
  assert.is(deployer.report().deployment, 6);
  assert.is(deployer.report().needsRestart, false);
});

test("an unchanged module is neither fetched nor evaluated again", async () => {
  const { gateway, source, take } = await serving();
  const before = gateway.last[0]?.definition;
  const next = pack({ number: 6, apis: { orders: apiModule("orders", 1), chat: apiModule("chat", 1) } });
  source.serve(next);
  for (const digest of [next.manifest.gateway, next.manifest.apis[0]].map((each) => each?.module ?? ""))
    source.blobs.delete(digest);
  const { blobs: _, ...rest } = next;
  await take({ ...rest, blobs: new Map() });
  assert.is(gateway.last[0]?.definition, before);
});

test("requested stops and restarts of streams apply without a change of the module", async () => {
  const { gateway, take } = await serving();
  const { manifest } = pack({ number: 6, apis: { orders: apiModule("orders", 1) } });
  const { printManifest } = await import("../../../runtime/gateway/artifact/manifest.ts");
  const bytes = printManifest({
    ...manifest,
    apis: manifest.apis.map((api) => ({ ...api, stopped: ["intake"], restarts: { intake: 2 } })),
  });
  await take({ ...pack({ apis: {} }), bytes });
  assert.equal([...(gateway.last[0]?.stopped ?? [])], ["intake"]);
  assert.is(gateway.last[0]?.restarts.get("intake"), 2);
});

test("changed process settings are reported as needing a restart, and APIs are updated regardless", async () => {
  const { gateway, deployer, lines, take } = await serving();
  const other = moduleOf("defineGateway({ streaming: { enabled: true }, listen: '0.0.0.0:1', apis: [] })");
  await take(pack({ number: 6, gateway: other, apis: { orders: apiModule("orders", 2) } }));
  assert.equal(gateway.applied.at(-1), ["orders version 2"]);
  assert.is(gateway.started.length, 1);
  assert.is(deployer.report().needsRestart, true);
  assert.ok(lines.some(({ msg }) => msg === "settings of the process have changed"));
});

test("a module that throws rolls back its own API only", async () => {
  const { gateway, deployer, lines, take } = await serving();
  const broken = apiModule("orders", 2, "throw new TypeError('no such thing')");
  await take(pack({ number: 6, apis: { orders: broken, chat: apiModule("chat", 1) } }));
  assert.equal(gateway.applied.at(-1), ["orders version 1", "chat version 1"]);
  assert.equal(deployer.report().outcomes, [
    { api: "chat", outcome: "applied" },
    { api: "orders", outcome: "rolled back", reason: "its module cannot be loaded: no such thing" },
  ]);
  assert.ok(lines.some(({ msg, api }) => msg === "api rolled back" && api === "orders"));
  await take(pack({ number: 7, apis: { orders: apiModule("orders", 3) } }));
  assert.equal(gateway.applied.at(-1), ["orders version 3"]);
});

test("a deployment with a module that does not match its digest is rejected as a whole", async () => {
  const { gateway, source, deployer } = await serving();
  const next = pack({
    number: 6,
    apis: {
      orders: apiModule("orders", 2, noting("truncated")),
      chat: apiModule("chat", 1, noting("whole")),
    },
  });
  const [orders] = next.manifest.apis;
  const bytes = next.blobs.get(orders?.module ?? "") ?? new Uint8Array();
  source.serve(next);
  for (const other of [bytes.subarray(0, -1), new Uint8Array(), Buffer.concat([bytes, Buffer.from(" ")])]) {
    source.blobs.set(orders?.module ?? "", other);
    assert.match(await rejection(deployer.take(next, source, signal)), "has other bytes under its name");
  }
  source.blobs.delete(orders?.module ?? "");
  assert.match(await rejection(deployer.take(next, source, signal)), "there is no such blob");
  assert.not(ran("truncated"));
  assert.not(ran("whole"));
  assert.is(gateway.applied.length, 1);
  assert.is(deployer.report().deployment, 5);
});

test("a deployment for another runtime is rejected, and the error names both runtimes", async () => {
  const { gateway, take } = await serving();
  const other = `sha256-${"cd".repeat(32)}`;
  const text = await rejection(
    take(
      pack({ number: 6, runtime: other, apis: { orders: apiModule("orders", 2, noting("other runtime")) } }),
    ),
  );
  assert.match(text, other);
  assert.match(text, `sha256-${"ab".repeat(32)}`);
  assert.not(ran("other runtime"));
  assert.is(gateway.applied.length, 1);
});

test("with a verification key, only deployments with a valid signature run", async () => {
  const { gateway, take } = await serving({ key: keys.publicKey });
  const next = pack({ number: 6, apis: { orders: apiModule("orders", 2, noting("unsigned")) } });
  const stranger = generateKeyPairSync("ed25519").privateKey;
  const { signature: _, ...unsigned } = next;
  assert.match(await rejection(take(unsigned)), "the manifest is not signed");
  for (const signature of [
    "",
    "nonsense",
    signBytes(next.bytes, stranger),
    pack({ apis: {} }).signature ?? "",
  ])
    assert.match(await rejection(take({ ...next, signature })), "is not signed by the holder");
  const changed = Buffer.from(next.bytes);
  changed[changed.length - 3] = 0x20;
  assert.match(await rejection(take({ ...next, bytes: changed })), "is not signed by the holder");
  assert.not(ran("unsigned"));
  await take(next);
  assert.equal(gateway.applied.at(-1), ["orders version 2"]);
});

test("with a verification key, a deployment older than the current one is rejected", async () => {
  const { take } = await serving({ key: keys.publicKey });
  const older = pack({ number: 4, apis: { orders: apiModule("orders", 0) } });
  assert.match(await rejection(take(older)), "deployment 4 is older than 5, which is served");
});

test("with a verification key, a different deployment of the same number is rejected, also after a restart", async () => {
  const folder = temporaryDirectory("highest");
  const options = { key: keys.publicKey, cacheFolder: folder };
  const { take } = await serving(options);
  const other = pack({ number: 5, apis: { orders: apiModule("orders", 2) } });
  assert.match(await rejection(take(other)), "deployment 5 is another one than the deployment 5");
  const restarted = recordingDeployer(options);
  const source = memorySource();
  source.serve(other);
  const again = restarted.deployer.take(other, source, signal);
  assert.match(await rejection(again), "deployment 5 is another one than the deployment 5");
  // A note of an older gateway contains only the number.
  writeFileSync(join(folder, "highest-deployment"), "5\n");
  await recordingDeployer(options).deployer.take(other, source, signal);
  assert.match(readFileSync(join(folder, "highest-deployment"), "utf8"), /^5 [0-9a-f]{64}\n$/);
});

test("with a verification key, older deployments are rejected after restarts, from every source and after crashes", async () => {
  const version = (number: number) => pack({ number, apis: { orders: apiModule("orders", number) } });
  const takeWith = (folder: string, number: number, key: typeof keys.publicKey | undefined) => {
    const source = memorySource();
    const packed = version(number);
    source.serve(packed);
    const { deployer } = recordingDeployer({ key, cacheFolder: folder });
    return deployer.take(packed, source, signal).then(
      () => "",
      (error: Error) => error.message,
    );
  };
  const numbers = fc.oneof(
    fc.integer({ min: 1, max: 9 }),
    fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ number: numbers, loses: fc.boolean() }), { minLength: 1, maxLength: 8 }),
      async (starts) => {
        const folder = temporaryDirectory("highest");
        let highest = 0;
        for (const { number, loses } of starts) {
          const refused = await takeWith(folder, number, keys.publicKey);
          assert.is(refused.includes("is older than"), number < highest, `${number} after ${highest}`);
          highest = Math.max(highest, number);
          // The gateway crashed before it wrote the copy, or an operator deleted the copy.
          if (loses) rmSync(join(folder, "manifest.json"), { force: true });
        }
        // An unsigned note is no reason to refuse a deployment.
        await takeWith(folder, Number.MAX_SAFE_INTEGER, undefined);
        assert.is(await takeWith(folder, highest, keys.publicKey), "");
      },
    ),
    { seed: 9, numRuns: 40 },
  );
});

test("a gateway starts from its own copy, and rejects all deployments if the highest number is unreadable", async () => {
  const folder = temporaryDirectory("highest");
  const packed = pack({ number: 3, apis: {} });
  const source = memorySource();
  source.serve(packed);
  const options = { key: keys.publicKey, cacheFolder: folder };
  await recordingDeployer(options).deployer.take(packed, source, signal);
  await writeHighest(folder, { number: 4, digest: "0".repeat(64) });
  const { deployer } = recordingDeployer(options);
  await deployer.take(packed, source, signal, { ownCopy: true });
  assert.match(await rejection(deployer.take(packed, source, signal)), "deployment 3 is older than 4");
  writeFileSync(join(folder, "highest-deployment"), "nonsense");
  const { deployer: next } = recordingDeployer(options);
  assert.match(await rejection(next.take(packed, source, signal)), "has no number");
  await next.take(packed, source, signal, { ownCopy: true });
  assert.match(await rejection(next.take(packed, source, signal)), "has no number");
});

test("without a verification key, older deployments of the source are accepted", async () => {
  const { gateway, take } = await serving();
  await take(pack({ number: 4, apis: { orders: apiModule("orders", 0) } }));
  assert.equal(gateway.applied.at(-1), ["orders version 0"]);
});

test("keys of other kinds are rejected, and a private key is not a verification key", () => {
  const pem = (
    key: { export(options: { format: "pem"; type: "spki" | "pkcs8" }): string | Buffer },
    type: "spki" | "pkcs8",
  ) => String(key.export({ format: "pem", type }));
  const ours = { public: pem(keys.publicKey, "spki"), private: pem(keys.privateKey, "pkcs8") };
  assert.ok(readVerifyKey(ours.public));
  assert.ok(readVerifyKey(ours.public.replaceAll("\n", "\\n")), "as files of variables hold it");
  assert.ok(readSigningKey(ours.private));
  assert.is(readVerifyKey(ours.private), undefined);
  assert.is(readSigningKey(ours.public), undefined);
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  assert.is(readVerifyKey(pem(rsa.publicKey, "spki")), undefined);
  assert.is(readVerifyKey("nonsense"), undefined);
});

test("a failed process start is distinguished from a rejected deployment", async () => {
  const { deployer } = recordingDeployer({
    start: async () => {
      throw new Error("GW_LISTEN is taken");
    },
  });
  const source = memorySource();
  const packed = pack({ apis: {} });
  source.serve(packed);
  const error: unknown = await deployer.take(packed, source, signal).catch((reason: unknown) => reason);
  assert.instance(error, ProcessError);
});

test("the local copy contains the current deployment only", async () => {
  const folder = temporaryDirectory("cache");
  const { take } = await serving({ cacheFolder: folder });
  const next = pack({ number: 6, apis: { orders: apiModule("orders", 2) } });
  await take(next);
  assert.equal(readdirSync(folder).sort(), ["blobs", "manifest.json", "manifest.sig"]);
  assert.equal(readdirSync(join(folder, "blobs")).sort(), [...next.blobs.keys()].sort());
});

test("a module missing from the source is read from the local copy", async () => {
  const folder = temporaryDirectory("cache");
  const first = await serving({ cacheFolder: folder });
  const again = recordingDeployer({ cacheFolder: folder });
  first.source.blobs.clear();
  await again.deployer.take(
    pack({ number: 5, apis: { orders: apiModule("orders", 1) } }),
    first.source,
    signal,
  );
  assert.equal(again.gateway.applied, [["orders version 1"]]);
});

test.run();
