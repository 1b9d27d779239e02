// A program that writes records endlessly and reports each one after it is confirmed.

import { createLogger } from "../../../runtime/process/log.ts";
import { parseStoreAddress } from "../../../runtime/store/address.ts";
import { countChange, openStore } from "../../../runtime/store/store.ts";

const [address = "", start = "0"] = process.argv.slice(2);
const store = await openStore(parseStoreAddress(address), createLogger("silent"));
for (let number = Number(start); ; number += 1) {
  const name = String(number).padStart(8, "0");
  await store.transact(async (connection) => {
    await connection.insertInto("policies").values({ id: name, org_id: "o", name, record: "{}" }).execute();
    await countChange(connection, "policies");
  });
  process.stdout.write(`${number}\n`);
}
