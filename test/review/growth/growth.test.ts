import { test } from "uvu";
import * as assert from "uvu/assert";
import { coreBuiltins } from "../../../compiler/builtins/catalogue.ts";
import { Broadcast } from "../../../runtime/clients/broadcast.ts";
import { ClientPool } from "../../../runtime/clients/client-pool.ts";
import type { Clients } from "../../../runtime/component/clients.ts";
import type { Delivered } from "../../../runtime/component/component.ts";
import type { Scanner } from "../../../runtime/component/scanner.ts";
import { Semaphore } from "../../../runtime/concurrency/semaphore.ts";
import { PartitionReader } from "../../../runtime/connectors/kafka/partition.ts";
import { Message } from "../../../runtime/message/message.ts";
import { csvScanner } from "../../../runtime/scanners/csv.ts";
import { jsonDocumentsScanner } from "../../../runtime/scanners/json-documents.ts";
import { linesScanner } from "../../../runtime/scanners/lines.ts";
import { reMatchScanner } from "../../../runtime/scanners/re-match.ts";
import { coreCatalogue } from "../../../schemas/catalogue.ts";
import { nameOf } from "../../builtins/calls.ts";
import { expectNoFindings } from "../campaign.ts";
import { documentUses, documentWorks, workOfUse } from "./documents.ts";
import { fragmented, frame, receive } from "./fragments.ts";
import { growthCampaign } from "./growth.ts";
import { pumped } from "./inputs.ts";
import { allCalls, notCalled, workOf } from "./mapping-methods.ts";
import { findGrowth, type Work } from "./measure.ts";
import { readByNone, readerNames } from "./readers.ts";

test("parsers take linear time, and compressed and fragmented messages", async () => {
  await expectNoFindings(growthCampaign({ calls: 0, parsers: 1, uses: 0, expressions: 0, packed: 1 }), [1]);
});

test("every method is called", () => {
  const calls = Map.groupBy(allCalls(), ({ builtin }) => nameOf(builtin));
  const isCalled = (name: string) =>
    calls.get(name)?.some(({ compiled }) => compiled() !== undefined) === true;
  const names = coreBuiltins.builtins.filter(({ kind }) => kind === "method").map(nameOf);
  const left = names.filter((name) => !isCalled(name) && notCalled[name] === undefined);
  assert.equal(left, []);
});

test("every processor and scanner is measured, or excluded with a reason", () => {
  const names = (["processor", "scanner"] as const).flatMap((role) =>
    coreCatalogue.all(role).map(({ name }) => `${role} ${name}`),
  );
  const known = [...readerNames, ...Object.keys(readByNone)];
  assert.equal(known.sort(), [...names].sort());
});

test("a message of 16,384 fragments is accepted, and one with more closes its socket", async () => {
  const fragment = frame(0, "x");
  assert.is(await receive(fragmented(fragment, 16_382), 16_384), true);
  assert.is(await receive(fragmented(fragment, 16_383), 16_384), false);
});

test("documents that used to be slow take linear time", async () => {
  const slow = [pumped("---\n", ["\n", "\0"]), pumped('"', ["", ""]), pumped('\\"', ['"', '"'])];
  for (const use of documentUses)
    for (const text of slow) assert.is(await findGrowth(workOfUse(use, text)), undefined);
});

test("documents of many parts that used to take quadratic time take linear time", async () => {
  for (const work of documentWorks) assert.is(await findGrowth(work), undefined);
});

test("scanners take linear time for sources in small chunks, and for many non-ASCII matches", async () => {
  const scan = (name: string, scanner: Scanner, unit: string, pieceSize: number) => ({
    name,
    prepare: (size: number) => {
      const bytes = Buffer.from(unit.repeat(size / unit.length));
      const pieces = Array.from({ length: Math.ceil(bytes.length / pieceSize) }, (_, index) =>
        bytes.subarray(index * pieceSize, (index + 1) * pieceSize),
      );
      return async () => {
        let messages = 0;
        for await (const _ of scanner.scan({ name: "source", bytes: inTurn(pieces) })) messages += 1;
        return messages;
      };
    },
  });
  const matching = (pattern: string) => reMatchScanner({ pattern, max_buffer_size: 1_000_000 });
  const works = [
    scan("re_match, many", matching("x"), "éx", 1_000_000),
    scan("re_match, pieces", matching("(a|aa)+b"), '/a="b" ', 256),
    scan("csv, pieces", csvScanner({ lazy_quotes: true }), '"a', 8),
    scan("json_documents, pieces", jsonDocumentsScanner(), "1 ", 8),
    scan("lines, pieces", linesScanner({ max_buffer_size: 1_000_000 }), "a", 8),
  ];
  for (const work of works) assert.is(await findGrowth(work), undefined);
});

async function* inTurn(pieces: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* pieces;
}

test("queues of messages take linear time", async () => {
  const soon = () => new Promise<Delivered>((resolve) => setImmediate(() => resolve({})));
  const messages = (size: number) =>
    Array.from({ length: size }, (_, index) =>
      Message.fromBytes(new Uint8Array(), undefined, { part: "a", offset: BigInt(index) }),
    );
  const clients = (name: string, open: () => Clients): Work => ({
    name,
    prepare: (size) => () => {
      const all = open();
      let pending = 0;
      all.join({
        isReady: () => pending < 64,
        send(_, receipt) {
          pending += 1;
          setImmediate(() => {
            pending -= 1;
            receipt.confirm();
          });
        },
        end() {},
      });
      return all.write(messages(size));
    },
  });
  const works: Work[] = [
    clients("broadcast", () => new Broadcast()),
    clients("pool of clients", () => new ClientPool()),
    {
      name: "semaphore",
      prepare: (size) => () => {
        const semaphore = new Semaphore(64);
        return Promise.all(Array.from({ length: size }, () => semaphore.use(soon)));
      },
    },
    {
      name: "records of a partition",
      prepare: (size) => async () => {
        const reader = new PartitionReader(0n, {
          limit: 1024,
          ahead: 256,
          deliver(records, _, settle) {
            setImmediate(() => {
              for (const index of records.keys()) settle(index, true);
            });
          },
          pauseFetching() {},
          resumeFetching() {},
        });
        reader.take(messages(size), BigInt(size));
        await reader.idle();
      },
    },
  ];
  for (const work of works) assert.is(await findGrowth(work), undefined);
});

test("substring search takes linear time", async () => {
  const text = pumped("a", ["", ""]);
  const searches = allCalls().filter(
    ({ source, role }) =>
      role === "part" && /\.(contains|index_of|split|replace_all)\(this\.argument/.test(source),
  );
  assert.is(searches.length, 4);
  for (const search of searches) assert.is(await findGrowth(workOf(search, text)), undefined);
});

test("control: superlinear growth is detected", async () => {
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
