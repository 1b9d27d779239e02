import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createLogger } from "../../../runtime/process/log.ts";
import { parseStoreAddress } from "../../../runtime/store/address.ts";
import { openStore } from "../../../runtime/store/store.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { start } from "../../harness/processes.ts";
import { until } from "../../harness/wait.ts";

const killings = 5;
const writtenEach = 40;

test("the embedded store keeps committed transactions, and no partial ones, when its process is killed", async () => {
  const address = `sqlite:${join(temporaryDirectory("store"), "gateway.db")}`;
  let confirmed = 0;
  for (let killing = 1; killing <= killings; killing += 1) {
    const next = confirmed + 10_000; // distinct from records that were written but not reported
    const writer = start(process.execPath, [join(import.meta.dirname, "writer.ts"), address, String(next)]);
    const reported = () => writer.output().split("\n").slice(0, -1).map(Number);
    await until(() => reported().length >= writtenEach, { what: `${writtenEach} records` });
    assert.is(await writer.stop("SIGKILL"), "SIGKILL");
    const numbers = reported();
    confirmed = numbers.at(-1) ?? next;

    const store = await openStore(parseStoreAddress(address), createLogger("silent"));
    const rows = await store.read((connection) => connection.selectFrom("policies").select("id").execute());
    const ids = new Set(rows.map(({ id }) => Number(id)));
    for (const number of numbers) assert.ok(ids.has(number), `record ${number} is there`);
    assert.is(await store.revision("policies"), rows.length, "each record was counted with its transaction");
    await store.close();
  }
});

test.run();
