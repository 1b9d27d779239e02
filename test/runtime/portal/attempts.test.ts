import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createAttempts } from "../../../runtime/portal/webhooks/sender.ts";
import { httpServer } from "../../harness/http-server.ts";

const never = new AbortController().signal;
const body = Buffer.from("a");

test("names are checked against the closed networks when a connection is made", async () => {
  const server = await httpServer();
  const { port } = new URL(server.url);
  const closed = createAttempts(5_000, false);
  for (const host of ["localhost", "127.0.0.1", "[::ffff:127.0.0.1]"]) {
    const outcome = await closed.make({ url: new URL(`http://${host}:${port}/`), headers: {}, body }, never);
    assert.equal(
      outcome,
      { kind: "failed", reason: "The address is not public", pause: 0, isGone: false },
      host,
    );
  }
  assert.equal(server.requests, []);
  const open = createAttempts(5_000, true);
  const outcome = await open.make({ url: new URL(`http://localhost:${port}/`), headers: {}, body }, never);
  assert.equal(outcome, { kind: "received", status: 200 });
  closed.close();
  open.close();
  await server.close();
});

test("an attempt without a response in time fails", async () => {
  const server = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
  const attempts = createAttempts(50, true);
  const outcome = await attempts.make(
    { url: new URL(`http://127.0.0.1:${port}/`), headers: {}, body },
    never,
  );
  assert.equal(outcome, { kind: "failed", reason: "No answer within 50 ms", pause: 0, isGone: false });
  attempts.close();
  server.closeAllConnections();
  server.close();
});

test("an endless response counts by its status", async () => {
  const server = createServer((_, response) => {
    const more = () => {
      while (response.write("x".repeat(16_384)));
      response.once("drain", more);
    };
    more();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // as above
  const attempts = createAttempts(10_000, true);
  const outcome = await attempts.make(
    { url: new URL(`http://127.0.0.1:${port}/`), headers: {}, body },
    never,
  );
  assert.equal(outcome, { kind: "received", status: 200 });
  attempts.close();
  server.closeAllConnections();
  server.close();
});

test.run();
