// Which organisation owns a host name, according to the names and patterns that a manifest assigns.

import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { assignedHost, hostOwner, normaliseHost } from "../../../runtime/gateway/artifact/assigned-hosts.ts";

const label = fc.constantFrom("a", "b", "api", "x-1");
const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join("."));
const written = fc.oneof(
  name,
  name.map((each) => `*.${each}`),
);

/** Compares the host name with every name and pattern, and returns the owner of the longest match. */
function expected(assigned: Readonly<Record<string, readonly string[]>>, host: string): string | undefined {
  const matches = Object.entries(assigned).flatMap(([organisation, names]) =>
    names
      .filter((each) => each === host || (each.startsWith("*.") && host.endsWith(each.slice(1))))
      .map((each) => ({ organisation, length: each.startsWith("*") ? each.length - 2 : Number.MAX_VALUE })),
  );
  return matches.sort((one, other) => other.length - one.length)[0]?.organisation;
}

test("the longest matching host name wins", () => {
  const assigned = fc
    .uniqueArray(fc.tuple(fc.constantFrom("red", "blue"), written), { selector: ([, each]) => each })
    .map((pairs) => ({
      red: pairs.filter(([organisation]) => organisation === "red").map(([, each]) => each),
      blue: pairs.filter(([organisation]) => organisation === "blue").map(([, each]) => each),
    }));
  fc.assert(
    fc.property(assigned, name, (hosts, host) => {
      assert.is(hostOwner(hosts)?.(host), expected(hosts, host));
    }),
    { seed: 14, numRuns: 500 },
  );
});

test("without assigned host names there is no owner lookup", () => {
  assert.is(hostOwner(), undefined);
  assert.is(hostOwner({ red: [] }), undefined);
});

test("host names in settings are normalised: case and trailing dot do not matter", () => {
  for (const each of ["*.ACME.Example.", "*.acme.example"]) {
    assert.is(normaliseHost(each), "*.acme.example");
    assert.match(normaliseHost(each), assignedHost);
  }
});

test.run();
