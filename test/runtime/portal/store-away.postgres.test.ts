// What callers and operators see when the store is unavailable, and when it returns.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { hashKey } from "../../../runtime/keys/key-hash.ts";
import { parseStoreAddress, type StoreAddress } from "../../../runtime/store/address.ts";
import { postgres } from "../../harness/brokers.ts";
import { startTcpProxy } from "../../harness/tcp-proxy.ts";
import { until } from "../../harness/wait.ts";
import { freshDatabase } from "../store/databases.ts";
import { createDeveloper, createPolicy, startPortal, type TestPortal } from "./portals.ts";

async function giveKey(portal: TestPortal, developer: string, policy: string) {
  const { body } = await portal.ask("POST", `/developers/${developer}/keys`, { apply_policies: [policy] });
  return { "X-Api-Key": body.RawKey };
}

async function readiness({ admin }: TestPortal) {
  const response = await fetch(`${admin}/readyz`);
  return { status: response.status, text: await response.text() };
}

/** Starts a proxy before the database, which can be closed and opened again, and returns the address through it. */
async function proxyOf(database: StoreAddress) {
  assert.ok(database.kind === "postgres");
  const url = new URL(database.url);
  const port = Number(url.port);
  const first = await startTcpProxy(port);
  url.host = `127.0.0.1:${first.port}`;
  return { address: parseStoreAddress(url.href), first, reopen: () => startTcpProxy(port, first.port) };
}

test("known keys stay valid for a while when the store is unavailable, and everything recovers with it", async () => {
  const server = await postgres();
  const direct = await freshDatabase(server);
  const { address, first: proxy, reopen } = await proxyOf(direct);
  const looks = { made: 0, known: 0 };
  let reading: number | undefined;
  proxy.onSent((bytes, connection) => {
    if (bytes.includes('select * from "revisions"')) looks.made += 1;
    // A connection sends its next statement only after the response to the previous one, and so it does the message
    // that ends it (`X`) if the pool no longer needs it.
    if (connection === reading && (bytes.includes("select ") || bytes[0] === 0x58)) {
      looks.known += 1;
      reading = undefined;
    }
    if (bytes.includes('"key_hash" in (')) reading = connection;
  });
  const portal = await startPortal(address, [], { limits: { store_grace: 600_000 } });
  const other = await startPortal(direct);
  try {
    const [developer, policy] = [await createDeveloper(other), await createPolicy(other, "p")];
    const known = await giveKey(portal, developer, policy);
    const unused = await giveKey(portal, developer, policy);
    const revoked = await giveKey(portal, developer, policy);
    // A check that runs after a change clears the cache again.
    const before = looks.made;
    await until(() => looks.made > before + 2, { what: "looks for changes" });
    assert.equal([await portal.call(known), await portal.call(revoked)], [200, 200]);

    // After a change of other records, this one stays cached even if no request has used it since.
    const read = looks.known;
    await createPolicy(other, "another");
    await until(() => looks.known > read, { what: "what is known to be read again" });
    await proxy.close();
    await until(async () => (await readiness(portal)).text.includes("The store is unavailable: known keys"));
    assert.is((await readiness(portal)).status, 200);
    assert.equal([await portal.call(known), await portal.call(unused)], [200, 503]);
    const { status, body, headers } = await portal.ask("POST", "/policies", { name: "q", access_rights: {} });
    assert.equal([status, headers.get("retry-after")], [503, "1"]);
    assert.match(JSON.stringify(body), /The store is not available/);
    assert.match(await (await fetch(`${portal.admin}/metrics`)).text(), /^sluice_store_up 0$/m);
    assert.is(portal.lines.filter(({ msg }) => msg === "store unreachable").length, 1);

    const hash = hashKey(revoked["X-Api-Key"]);
    assert.is((await other.ask("DELETE", `/developers/${developer}/keys/${hash}`)).status, 200);
    const again = await reopen();
    await until(async () => (await portal.call(revoked)) === 403, { what: "the return of the store" });
    assert.equal([await portal.call(known), await portal.call(unused)], [200, 200]);
    await until(() => portal.lines.some(({ msg }) => msg === "store reachable again"));
    assert.is((await readiness(portal)).status, 200);
    await portal.close();
    await again.close();
  } finally {
    await portal.close();
    await other.close();
    await server.stop();
  }
});

test("known keys are rejected when the store stays unavailable, until it returns", async () => {
  const server = await postgres();
  const direct = await freshDatabase(server);
  const { address, first: proxy, reopen } = await proxyOf(direct);
  const portal = await startPortal(address, [], { limits: { store_grace: 1_000 } });
  const other = await startPortal(direct);
  try {
    const known = await giveKey(other, await createDeveloper(other), await createPolicy(other, "p"));
    await until(async () => (await portal.call(known)) === 200, { what: "a known key" });
    await proxy.close();
    // A call alone may get 503 earlier, if the store went away before what was known was read again.
    const isOver = async () => {
      const { status, text } = await readiness(portal);
      return status === 503 && text.includes("its keys are rejected");
    };
    await until(isOver, { what: "the end of the grace" });
    assert.is(await portal.call(known), 503);

    const again = await reopen();
    await until(async () => (await portal.call(known)) === 200, { what: "the return of the store" });
    // On a busy machine, the grace may end between two answers of the store.
    await until(async () => (await readiness(portal)).status === 200, { what: "a ready gateway" });
    await portal.close();
    await again.close();
  } finally {
    await portal.close();
    await other.close();
    await server.stop();
  }
});

test.run();
