import type { LookupAddress, lookup } from "node:dns";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { GatewayError } from "../../../runtime/errors.ts";
import { checkTarget } from "../../../runtime/portal/webhooks/webhooks.ts";
import { ClosedTargetError, isPublic, publicLookup } from "../../../runtime/requests/public-addresses.ts";

const closed = [
  "0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.9.9.9 169.254.169.254 172.16.0.1 172.31.255.255 192.168.1.1 224.0.0.1",
  "255.255.255.255 :: ::1 fe80::1 fc00::1 fd12::1 ff02::1 ::ffff:10.0.0.1 ::ffff:7f00:1 ::127.0.0.1",
  "64:ff9b::a00:1 2002:a00:1:: 2001:0:1::1 2001:db8::1",
]
  .join(" ")
  .split(" ");

test("addresses that only the gateway can reach are not public, in every notation", () => {
  for (const address of closed) assert.not.ok(isPublic(address), address);
  for (const address of ["8.8.8.8", "172.32.0.1", "::ffff:8.8.8.8", "2606:4700::1111"]) {
    assert.ok(isPublic(address), address);
  }
});

test("unusable target addresses are reported when they are set", () => {
  const problems = (text: string, allowPrivate = false) => {
    try {
      checkTarget(text, allowPrivate);
      return [];
    } catch (error) {
      assert.instance(error, GatewayError);
      return error instanceof GatewayError ? error.fields.errors : [];
    }
  };
  const notPublic = ["url: leads to an address that is not public"];
  for (const host of [
    "127.0.0.1",
    "2130706433",
    "0x7f.1",
    "[::1]",
    "[::ffff:10.0.0.1]",
    "localhost",
    "a.localhost.",
  ]) {
    assert.equal(problems(`http://${host}/hook`), notPublic, host);
    assert.equal(problems(`http://${host}/hook`, true), [], host);
  }
  assert.equal(problems("https://example.com/hook"), []);
  assert.equal(problems("ftp://example.com"), ["url: must be an address of https or http"]);
  assert.equal(problems("example"), ["url: must be an address of https or http"]);
  assert.equal(problems("https://a:b@example.com"), ["url: must not hold a user or password"]);
});

/** Returns a lookup that resolves every name to these addresses. */
function resolver(...addresses: readonly string[]): typeof lookup {
  const all: readonly LookupAddress[] = addresses.map((address) => ({
    address,
    family: address.includes(":") ? 6 : 4,
  }));
  const answer = (
    _: string,
    _options: object,
    done: (error: null, found: readonly LookupAddress[]) => void,
  ) => done(null, all);
  return answer as unknown as typeof lookup; // only this overload is used
}

function find(addresses: readonly string[], all: boolean): Promise<unknown> {
  return new Promise((resolve, reject) => {
    publicLookup(resolver(...addresses))("name", { all }, (error, address) =>
      error === null ? resolve(address) : reject(error),
    );
  });
}

test("only public addresses of a host name are connected to", async () => {
  assert.equal(await find(["10.0.0.1", "8.8.8.8"], true), [{ address: "8.8.8.8", family: 4 }]);
  assert.is(await find(["::1", "8.8.8.8"], false), "8.8.8.8");
  for (const addresses of [["10.0.0.1", "::1"], []]) {
    const failure = await find(addresses, true).catch((error: unknown) => error);
    assert.instance(failure, ClosedTargetError);
  }
});

test.run();
