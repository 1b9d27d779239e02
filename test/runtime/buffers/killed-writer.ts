// A process that writes batches to the buffer `sqlite`, delivers one batch, starts to deliver another, and is killed.

import { sqliteBuffer } from "../../../runtime/buffers/sqlite.ts";
import { batchOf, inputContext } from "../connectors/contexts.ts";

const buffer = sqliteBuffer({ path: process.argv[2] ?? "" });
const context = inputContext();
await buffer.open(context);
for (const text of ["delivered", "begun", "kept"]) await buffer.write(batchOf(text));
const [first] = await context.deliveries.take(3);
first?.confirm();
await new Promise(setImmediate);
process.kill(process.pid, "SIGKILL");
