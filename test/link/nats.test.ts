import { once } from "node:events";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { nkeys } from "@nats-io/transport-node";
import { build } from "esbuild";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { natsPatch } from "../../compiler/link/patches/nats.ts";
import { projectRoot } from "../harness/directories.ts";
import { within } from "../harness/wait.ts";
import { runPatched as runPatchedProcess } from "./patched-bundle.ts";

/** The seed of a user that exists nowhere. */
const seed = "SUAIBDPBAUTWCWBKIO6XHQNINK5FWJW4OHLXC3HQ2KFE4PEJUA44CNHTC4";

/** Resolves with the output of `program`, bundled with the patch. */
async function runPatched(program: string): Promise<unknown> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: projectRoot },
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    logLevel: "silent",
    plugins: [natsPatch()],
  });
  const code = outputFiles[0]?.text ?? "";
  assert.not.match(code, "nacl.lowlevel", "the bundle has the package");
  let reported: unknown;
  const report = (value: unknown) => {
    reported = value;
  };
  new Function("require", "report", code)(createRequire(import.meta.url), report);
  return reported;
}

test("signatures and keys by the Ed25519 of Node equal those of the package", async () => {
  const bytes = new TextEncoder().encode(seed);
  const pair = nkeys.fromSeed(bytes);
  const message = new TextEncoder().encode("a nonce of the server");
  const result = await runPatched(`import { nkeys } from "@nats-io/transport-node";
    const { createUser, fromPublic, fromSeed } = nkeys;
    const pair = fromSeed(new TextEncoder().encode(${JSON.stringify(seed)}));
    const message = new TextEncoder().encode("a nonce of the server");
    const signature = pair.sign(message);
    const other = createUser();
    report({
      signature: Buffer.from(signature).toString("hex"),
      publicKey: pair.getPublicKey(),
      privateKey: Buffer.from(pair.getPrivateKey()).toString(),
      verdicts: [
        pair.verify(message, signature),
        fromPublic(pair.getPublicKey()).verify(message, signature),
        other.verify(message, signature),
        pair.verify(message.subarray(1), signature),
      ],
    });`);
  assert.equal(result, {
    signature: Buffer.from(pair.sign(message)).toString("hex"),
    publicKey: pair.getPublicKey(),
    privateKey: Buffer.from(pair.getPrivateKey()).toString(),
    verdicts: [true, true, false, false],
  });
});

test("only spaces and tabs around the value of a header are removed", async () => {
  const result = await runPatched(`import { headers } from "@nats-io/transport-node";
    const made = headers();
    for (const value of ["\\ufeffa\\u00a0", "\\u000ba\\u0085", " \\ta\\t ", " ", ""]) made.append("a", value);
    report([made, made.constructor.decode(made.encode())].map((each) => each.values("a")));`);
  const values = ["\ufeffa\u00a0", "\u000ba\u0085", "a", "", ""];
  assert.equal(result, [values, values]);
});

// If each header were searched among all of them, this would take minutes.
test("headers of a large message are read in linear time", async () => {
  const count = 60_000;
  const result = await runPatched(`import { headers } from "@nats-io/transport-node";
    const lines = Array.from({ length: ${count} }, (_, index) => "h" + index + ": " + index + "\\r\\nX-Same: " + index);
    const text = "NATS/1.0\\r\\n" + lines.join("\\r\\n") + "\\r\\n\\r\\n";
    const read = headers().constructor.decode(new TextEncoder().encode(text));
    const wrong = read.keys().filter((name) => name !== "X-Same" && read.get(name) !== name.slice(1));
    const found = [read.get("x-same"), read.get("X-Same"), read.last("X-Same"), read.has("h7"), read.has("H7")];
    report({ names: read.keys().length, wrong: wrong.length, found, values: read.values("h7") });`);
  assert.equal(result, {
    names: count + 1,
    wrong: 0,
    found: ["", "0", `${count - 1}`, true, false],
    values: ["7"],
  });
});

test("a server that closes the connection during the handshake is not reported as a timeout", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    // Like a server that refuses the certificate of its client, or has too many clients.
    socket.write('INFO {"server_id":"a","version":"2.11.0","max_payload":1024}\r\n');
    socket.once("data", () => socket.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
  const failing = await runPatched(`import { connect } from "@nats-io/transport-node";
    report(connect({ servers: "127.0.0.1:${port}", timeout: 60_000 }).catch((error) => error.message));`);
  assert.is(await within(failing as Promise<unknown>, { what: "the failure" }), "connection closed");
  server.close();
});

/** A program that is connected, and whose clock is then set back by an hour. */
const setBack = `
import { once } from "node:events";
import { createServer } from "node:net";
import { IdleHeartbeatMonitor } from "@nats-io/nats-core/internal";
import { connect } from "@nats-io/transport-node";
const server = createServer((socket) => {
  socket.on("error", () => undefined);
  socket.write('INFO {"server_id":"a","version":"2.11.0","max_payload":1024}\\r\\n');
  socket.on("data", (bytes) => {
    if (String(bytes).includes("PUB end")) socket.destroy();
    else if (String(bytes).includes("PING")) socket.write("PONG\\r\\n");
  });
});
await once(server.listen(0, "127.0.0.1"), "listening");
const connection = await connect({ servers: "127.0.0.1:" + server.address().port, reconnectTimeWait: 10 });
const missing = new Promise((resolve) => {
  new IdleHeartbeatMonitor(10, (missed) => (resolve(missed), true));
});
const { now } = Date;
Date.now = () => now() - 3_600_000;
connection.publish("end");
for await (const { type } of connection.status()) if (type === "reconnect") break;
console.log("connected again");
console.log("missing", await missing);
process.exit();
`;

test("a client connects again and misses heartbeats although the clock was set back", async () => {
  const { status, stdout, stderr } = await runPatchedProcess([natsPatch()], setBack);
  assert.is(stdout, "connected again\nmissing 2\n", stderr);
  assert.is(status, 0);
});

test.run();
