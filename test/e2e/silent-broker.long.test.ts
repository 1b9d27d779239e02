import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { temporaryDirectory } from "../harness/directories.ts";
import { until } from "../harness/wait.ts";
import { buildBundle, isReady, startBundle } from "./gateway.ts";

test("a Kafka broker that accepts connections and answers nothing is reported as unreachable", async () => {
  const sockets = new Set<Socket>();
  const broker = createServer((socket) => sockets.add(socket.resume())).listen(0, "127.0.0.1");
  await once(broker, "listening");
  const address = `127.0.0.1:${(broker.address() as AddressInfo).port}`; // a TCP server has this kind of address
  const document = join(temporaryDirectory("document"), "api.yaml");
  writeFileSync(
    document,
    `
openapi: 3.1.0
info: { title: Silent, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    read:
      input: { kafka: { addresses: ["${address}"], topics: [a], consumer_group: g } }
      output: { drop: {} }
    written:
      input: { http_server: { path: /in } }
      output: { kafka: { addresses: ["${address}"], topic: a } }
`.trimStart(),
  );
  const gateway = await startBundle(await buildBundle([document]));

  const reasons = await until(
    async () => {
      const { streams } = (await (await fetch(`${gateway.adminUrl}/streams`)).json()) as {
        streams: readonly { status: string; reason?: string }[];
      };
      return streams.every(({ status }) => status === "failed") && streams.map(({ reason }) => reason);
    },
    // One attempt of at most ten seconds, but machines may be busy.
    { what: "both streams to have failed", timeout: 300_000 },
  );
  const reason = `Kafka: broker \`${address}\` unreachable (timed out)`;
  assert.equal(reasons, [reason, reason]);
  assert.not.ok(await isReady(gateway));
  await gateway.program.matching(/stream failed to start: Kafka: broker .* unreachable \(timed out\)/);

  assert.is(await gateway.program.stop(), 0, gateway.program.output());
  for (const socket of sockets) socket.destroy();
  broker.close();
});

test.run();
