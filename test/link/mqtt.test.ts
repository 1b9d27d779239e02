import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { mqttPatch } from "../../compiler/link/patches/mqtt.ts";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { run } from "../harness/processes.ts";
import { bundlePatched } from "./patched-bundle.ts";

/** Bundles a program with mqtt after `change` to a copy of the package; resolves with esbuild's error. */
async function refusalAfter(change: (folder: string) => void): Promise<string> {
  const directory = temporaryDirectory("mqtt");
  const folder = join(directory, "node_modules/mqtt");
  cpSync(join(projectRoot, "node_modules/mqtt"), folder, { recursive: true });
  change(folder);
  try {
    await build({
      stdin: { contents: 'import { MqttClient } from "mqtt"; new MqttClient();', resolveDir: directory },
      nodePaths: [join(projectRoot, "node_modules")],
      bundle: true,
      write: false,
      platform: "node",
      logLevel: "silent",
      plugins: [mqttPatch()],
    });
    return "";
  } catch (error) {
    return String(error);
  }
}

function rewrite(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, "utf8")));
}

test("the verified release is bundled", async () => {
  assert.is(await refusalAfter(() => undefined), "");
});

test("another release is rejected", async () => {
  const refusal = await refusalAfter((folder) =>
    rewrite(join(folder, "package.json"), (text) =>
      text.replace('"version": "5.16.0"', '"version": "5.17.0"'),
    ),
  );
  assert.match(refusal, "mqtt 5.17.0 is installed, but acknowledgements are proved for 5.16.0 only");
  assert.match(refusal, "messages could be acknowledged before they are delivered");
});

test("a release with changed acknowledgements is rejected, even with the same version", async () => {
  const refusal = await refusalAfter((folder) =>
    rewrite(join(folder, "build/lib/handlers/publish.js"), (text) =>
      text.replace("client['_sendPacket']({ cmd: 'puback'", "client['_writePacket']({ cmd: 'puback'"),
    ),
  );
  assert.match(refusal, "publish.js of mqtt 5.16.0 was changed");
});

test("a release with another entry point is rejected by its version", async () => {
  const refusal = await refusalAfter((folder) => {
    writeFileSync(join(folder, "elsewhere.js"), "exports.MqttClient = class {};");
    rewrite(join(folder, "package.json"), (text) => {
      const { exports: _former, ...manifest } = JSON.parse(text);
      return JSON.stringify({ ...manifest, version: "6.0.0", main: "elsewhere.js" });
    });
  });
  assert.match(refusal, "mqtt 6.0.0 is installed");
});

/** Parses a message in pieces of one byte, and messages whose ends fall on all places of the pieces. */
const parsing = `
  import { generate, parser } from "mqtt-packet";

  function parsed(sizes, pieceSize) {
    const messages = [];
    const parsing = parser();
    parsing.on("packet", ({ topic, payload }) => messages.push([topic, payload.length, payload.every((byte) => byte === 7)]));
    for (const size of sizes) {
      const packet = generate({ cmd: "publish", topic: "t/" + size, payload: Buffer.alloc(size, 7), qos: 0 });
      rest = Buffer.concat([rest, packet]);
      for (; rest.length >= pieceSize; rest = rest.subarray(pieceSize)) parsing.parse(Buffer.from(rest.subarray(0, pieceSize)));
    }
    parsing.parse(rest);
    rest = Buffer.alloc(0);
    return JSON.stringify(messages) === JSON.stringify(sizes.map((size) => ["t/" + size, size, true]));
  }
  let rest = Buffer.alloc(0);
  const sizes = Array.from({ length: 300 }, (_, index) => index * 7);
  console.log(parsed([2_000_000], 1), [1, 2, 3, 5, 64, 1000, 10_000].map((size) => parsed(sizes, size)).join());
`;

test("the traces and helpers of the client are left out", async () => {
  const program =
    'import { MqttClient } from "mqtt"; import { parser } from "mqtt-packet"; console.log(MqttClient, parser);';
  const text = (await bundlePatched([mqttPatch()], program)).outputFiles[0]?.text ?? "";
  assert.match(text, "_storePacket(");
  assert.match(text, "_parsePublish()");
  for (const trace of ["_storePacket ::", "_parsePublish:", "Object.create ? "])
    assert.not.match(text, trace);
});

test("a message that arrives byte by byte takes no more memory than its size", async () => {
  const file = join(temporaryDirectory("mqtt"), "parsing.mjs");
  writeFileSync(file, (await bundlePatched([mqttPatch()], parsing)).outputFiles[0]?.text ?? "");
  // A list of two million pieces would take several times this heap.
  const { stdout } = await run(process.execPath, ["--max-old-space-size=64", file]);
  assert.is(stdout.trim(), "true true,true,true,true,true,true,true");
});

test.run();
