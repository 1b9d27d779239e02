import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { httpDefaults } from "../../../runtime/processors/generated/http-options.ts";
import { createCaller } from "../../../runtime/requests/caller.ts";
import { createCertificates } from "../../harness/certificates.ts";
import { componentContext } from "../connectors/contexts.ts";

const test = suite("reuse of encrypted connections");

/** A server in a thread of its own, which counts its connections and its answers in shared memory. */
const server = `
  const { createServer } = require("node:https");
  const { parentPort, workerData: { cert, key, counts } } = require("node:worker_threads");
  const count = (index) => { Atomics.add(counts, index, 1); Atomics.notify(counts, index); };
  const server = createServer({ cert, key }, (request, response) => {
    response.end("ok", () => count(1));
  });
  server.on("secureConnection", () => count(0));
  server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;

test("a response that precedes the next turn of the event loop leaves its connection open", async () => {
  const { authority, server: own } = await createCertificates();
  const counts = new Int32Array(new SharedArrayBuffer(8));
  const thread = new Worker(server, { eval: true, workerData: { cert: own.cert, key: own.key, counts } });
  const [port] = (await once(thread, "message")) as [number];
  const url = new URL(`https://localhost:${port}/`);
  const tls = { enabled: true, root_cas: authority.cert };
  const caller = createCaller({ ...httpDefaults, retries: 0, url: url.href, tls });
  const requester = { log: componentContext().log, signal: new AbortController().signal };
  const call = () => caller.call({ verb: "GET", url, headers: new Map(), body: undefined }, requester);
  await call();
  for (let answers = 1; answers < 5; answers += 1) {
    await new Promise<void>((resolve, reject) => {
      setImmediate(() => void call().then(() => resolve(), reject));
      // Nothing else happens in this process until the server has answered. It cannot if this is a new connection.
      setImmediate(() => Atomics.wait(counts, 1, answers, 1_000));
    });
  }
  assert.equal([...counts], [1, 5]);
  caller.close();
  await thread.terminate();
});

test.run();
