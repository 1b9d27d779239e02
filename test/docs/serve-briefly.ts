// Runs a serving command until it listens, and then ends it like a supervisor does: exit code 0 if both succeeded.

import { start } from "../harness/processes.ts";

const program = start(process.execPath, process.argv.slice(2), {
  env: { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0", GW_MANAGEMENT_LISTEN: "127.0.0.1:0" },
});
await program.matching(/"msg":"listening"/);
const status = await program.stop();
if (status !== 0) process.stderr.write(program.output());
process.exit(status === 0 ? 0 : 1);
