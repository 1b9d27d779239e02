// Each argument of a type that the signature does not accept makes the call fail, in any position.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { acceptedArgument } from "../../compiler/builtins/accepted.ts";
import type { Builtin } from "../../compiler/builtins/builtin.ts";
import { coreBuiltins } from "../../compiler/builtins/catalogue.ts";
import type { Value } from "../../runtime/message/value.ts";
import { callsOf, nameOf, run, type SampleCall } from "./calls.ts";
import { argumentLists, notCalled } from "./samples.ts";
import { contains } from "./values.ts";

/** Arguments that are evaluated only if needed, or never. */
const notLookedAt: Readonly<Record<string, string>> = {
  "env() 1": "variables of the environment do not change, so nothing is kept that could be read again",
  "split 1": "of arrays nothing becomes null",
  "patch 0": "a patch of null is null, whatever the changes are",
  "hash 1": "only keyed algorithms have a key",
  "hash 2": "only crc32 has a polynomial",
  "format_json 1": "without an indent nothing is laid out",
};

const wrongValues: readonly Value[] = [null, true, 5, "text", [1], ["a"], { a: 1 }];

for (const builtin of coreBuiltins.builtins) {
  if (notCalled[nameOf(builtin)] !== undefined || argumentLists[nameOf(builtin)] === undefined) continue;
  test(`${nameOf(builtin)} rejects arguments of other types`, () => {
    assert.equal([...findAccepted(builtin)].slice(0, 8), []);
  });
}

/** Returns the calls that work with an argument outside the signature. */
function findAccepted(builtin: Builtin): ReadonlySet<string> {
  const found = new Set<string>();
  for (const call of callsOf(builtin)) {
    const names = Object.keys(call.variables).filter((name) => call.text.includes(`$${name}`));
    if (names.length === 0 || run(call).kind !== "value") continue;
    for (const name of names) for (const text of acceptedAt(call, name)) found.add(text);
  }
  return found;
}

function acceptedAt(call: SampleCall, name: string): readonly string[] {
  const index = Number(name.slice("arg".length));
  if (notLookedAt[`${nameOf(call.builtin)} ${index}`] !== undefined) return [];
  const accepted = acceptedArgument(call.builtin, index);
  return wrongValues
    .filter((value) => !contains(accepted, value))
    .filter((value) => run({ ...call, variables: { ...call.variables, [name]: value } }).kind === "value")
    .map((value) => `${call.text} with ${name} ${JSON.stringify(value)}`);
}

test.run();
