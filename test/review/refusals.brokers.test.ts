import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { postgres } from "../harness/brokers.ts";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { start } from "../harness/processes.ts";
import { warmSluice } from "../harness/sluice.ts";
import { expectNoFindings } from "./campaign.ts";
import { marker } from "./secrets/documents.ts";
import { findSecret } from "./secrets/refusals.ts";
import { refusals } from "./secrets/refusals-campaign.ts";

const server = await postgres();
test.after(() => server.stop());

test("rejected credentials and unreachable servers reveal no secret to operators", () =>
  expectNoFindings(refusals, [7]));

test("a gateway rejected by PostgreSQL exits without revealing its password", async () => {
  const folder = temporaryDirectory("refused");
  const database = new URL(server.address);
  database.username = "nobody-of-that-name";
  database.password = `${marker}/?#`;
  const set = "apis: []\nportal: {}\nstore: ${STORE}\n";
  writeFileSync(join(folder, "gateway.yaml"), set);
  const built = await warmSluice(["build", join(folder, "gateway.yaml"), "-o", join(folder, "out")], {
    cwd: projectRoot,
  });
  assert.is(built.status, 0, built.stderr);
  const program = start(process.execPath, [join(folder, "out", "gateway.mjs")], {
    cwd: folder,
    env: {
      GW_LISTEN: "127.0.0.1:0",
      GW_ADMIN_LISTEN: "127.0.0.1:0",
      GW_LOG_LEVEL: "debug",
      GW_PORTAL_ACCESS_TOKENS: `${marker}-token-of-administrators`,
      STORE: database.href,
    },
  });
  assert.is.not(await program.ended, 0);
  assert.match(program.output(), "cannot start");
  assert.is(findSecret(program.output()), undefined);
});

test.run();
