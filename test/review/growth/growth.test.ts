import { test } from "uvu";
import * as assert from "uvu/assert";
import { coreBuiltins } from "../../../compiler/builtins/catalogue.ts";
import { reMatchScanner } from "../../../runtime/scanners/re-match.ts";
import { coreCatalogue } from "../../../schemas/catalogue.ts";
import { nameOf } from "../../builtins/calls.ts";
import { expectNoFindings } from "../campaign.ts";
import { documentUses, workOfUse } from "./documents.ts";
import { fragmented, frame, receive } from "./fragments.ts";
import { growthCampaign } from "./growth.ts";
import { pumped } from "./inputs.ts";
import { allCalls, notCalled, workOf } from "./mapping-methods.ts";
import { findGrowth } from "./measure.ts";
import { readByNone, readerNames } from "./readers.ts";

test("methods, parsers, documents, packed and fragmented messages take linear time", async () => {
  await expectNoFindings(growthCampaign({ calls: 1, parsers: 2, uses: 1, expressions: 0, packed: 1 }), [1]);
});

test("every method is called", () => {
  const calls = Map.groupBy(allCalls(), ({ builtin }) => nameOf(builtin));
  const isCalled = (name: string) =>
    calls.get(name)?.some(({ compiled }) => compiled() !== undefined) === true;
  const names = coreBuiltins.builtins.filter(({ kind }) => kind === "method").map(nameOf);
  const left = names.filter((name) => !isCalled(name) && notCalled[name] === undefined);
  assert.equal(left, []);
});

test("every processor and scanner is tried, or left out for a reason", () => {
  const names = (["processor", "scanner"] as const).flatMap((role) =>
    coreCatalogue.all(role).map(({ name }) => `${role} ${name}`),
  );
  const known = [...readerNames, ...Object.keys(readByNone)];
  assert.equal(known.sort(), [...names].sort());
});

test("a message of 16,384 fragments is read, one of more closes its socket", async () => {
  const fragment = frame(0, "x");
  assert.is(await receive(fragmented(fragment, 16_382), 16_384), true);
  assert.is(await receive(fragmented(fragment, 16_383), 16_384), false);
});

test("documents that were slow once are not any more", async () => {
  const slow = [pumped("---\n", ["\n", "\0"]), pumped('"', ["", ""]), pumped('\\"', ['"', '"'])];
  for (const use of documentUses)
    for (const text of slow) assert.is(await findGrowth(workOfUse(use, text)), undefined);
});

test("matches of a scanner are found in linear time, in other scripts and in small pieces", async () => {
  const scan = (pattern: string, unit: string, pieceSize: number) => ({
    name: `re_match of ${pattern} in pieces of ${pieceSize}`,
    prepare: (size: number) => {
      const bytes = Buffer.from(unit.repeat(size / unit.length));
      const pieces = Array.from({ length: Math.ceil(bytes.length / pieceSize) }, (_, index) =>
        bytes.subarray(index * pieceSize, (index + 1) * pieceSize),
      );
      const scanner = reMatchScanner({ pattern, max_buffer_size: 1_000_000 });
      return async () => {
        let messages = 0;
        for await (const _ of scanner.scan({ name: "source", bytes: inTurn(pieces) })) messages += 1;
        return messages;
      };
    },
  });
  assert.is(await findGrowth(scan("x", "éx", 1_000_000)), undefined);
  assert.is(await findGrowth(scan("(a|aa)+b", '/a="b" ', 256)), undefined);
});

async function* inTurn(pieces: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* pieces;
}

test("a text is found in a text in linear time", async () => {
  const text = pumped("a", ["", ""]);
  const searches = allCalls().filter(
    ({ source, role }) =>
      role === "part" && /\.(contains|index_of|split|replace_all)\(this\.argument/.test(source),
  );
  assert.is(searches.length, 4);
  for (const search of searches) assert.is(await findGrowth(workOf(search, text)), undefined);
});

test("what grows faster is found", async () => {
  const growth = (milliseconds: (size: number) => number) => {
    let now = 0;
    const prepare = (size: number) => () => {
      now += milliseconds(size);
    };
    return findGrowth({ name: "work", prepare }, () => now);
  };
  const found = "work: 10 ms at 1024, 4.0 times as long as at half the size";
  assert.is(await growth((size) => size ** 2 / 1e5), found);
  assert.is(await growth((size) => size), undefined);
});

test.run();
