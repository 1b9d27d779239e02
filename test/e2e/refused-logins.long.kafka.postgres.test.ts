// Servers that refuse a password: operators see the reason and the count in the log, and never the password.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startPostgres } from "../harness/brokers/postgres.ts";
import { startSecureKafka } from "../harness/brokers/secure-kafka.ts";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { type Program, start } from "../harness/processes.ts";
import { startSluice, warmSluice } from "../harness/sluice.ts";
import { until } from "../harness/wait.ts";
import { marker } from "../review/secrets/documents.ts";
import { findSecret } from "../review/secrets/refusals.ts";
import { buildBundle, startBundle } from "./gateway.ts";

const mechanisms = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] as const;
const wrongPassword = `${marker}-wrong`;

type Line = Readonly<Record<string, unknown>>;

function linesOf(program: Program): readonly Line[] {
  const lines = program.output().split("\n");
  return lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
}

test("streams report that Kafka rejects their credentials, with the number of attempts", async () => {
  const kafka = await startSecureKafka();
  const folder = temporaryDirectory("document");
  const tls = `tls: { enabled: true, root_cas_file: ${kafka.certificates.authority.certFile} }`;
  const stream = (mechanism: string) => {
    const sasl = `sasl: { mechanism: ${mechanism}, user: ${kafka.user}, password: "\${PASSWORD}" }`;
    const common = `addresses: ["${kafka.sasl}"], ${tls}, ${sasl}`;
    return `
    reads-${mechanism}:
      input: { kafka: { topics: [t], consumer_group: g, ${common} } }
      output: { drop: {} }
    writes-${mechanism}:
      input: { http_server: { path: /${mechanism} } }
      output: { kafka: { topic: t, ${common} } }`;
  };
  writeFileSync(
    join(folder, "api.yaml"),
    `openapi: 3.1.0
info: { title: Refused, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:${mechanisms.map(stream).join("")}
`,
  );
  const env = { PASSWORD: wrongPassword, GW_LOG_LEVEL: "debug" };
  const gateway = await startBundle(await buildBundle([join(folder, "api.yaml")]), env);
  const ask = async (path: string) => (await fetch(`${gateway.adminUrl}${path}`)).text();
  const attemptsOf = (name: string) =>
    linesOf(gateway.program).filter(({ stream: of, retry }) => of === name && retry !== undefined);
  const names = mechanisms.flatMap((mechanism) => [`reads-${mechanism}`, `writes-${mechanism}`]);
  await until(() => names.every((name) => attemptsOf(name).length > 1), {
    what: "every stream to be refused twice",
  });
  for (const name of names) {
    const verb = name.startsWith("reads") ? "read" : "reached";
    const reason = `Kafka cannot be ${verb} (SASL_AUTHENTICATION_FAILED)`;
    for (const [index, line] of attemptsOf(name).entries()) {
      assert.is(line.reason, reason);
      assert.match(String(line.msg), `stream failed to start: ${reason}, retry ${index + 1} in `);
      // A repeated failure is logged without its stack.
      assert.is("error" in line, index === 0, JSON.stringify(line));
    }
  }
  const shown = [await ask("/streams"), await ask("/readyz"), await ask("/metrics"), await ask("/")];
  assert.is(shown[0]?.split("SASL_AUTHENTICATION_FAILED").length, 1 + 2 * names.length, shown[0]);
  await gateway.program.stop();
  for (const text of [...shown, gateway.program.output()]) assert.is(findSecret(text), undefined);
  await kafka.stop();
});

test("a portal and a management service report once that PostgreSQL rejects their credentials", async () => {
  const server = await startPostgres();
  const client = new pg.Client(server.address);
  await client.connect();
  await client.query("create role locked login password 'right'");
  const { rows } = await client.query("show hba_file");
  const rules = "values ('host all locked 127.0.0.1/32 scram-sha-256'), ('host all all 127.0.0.1/32 trust')";
  await client.query(`copy (${rules}) to '${rows[0].hba_file}'`);
  await client.query("select pg_reload_conf()");
  const address = new URL(server.address);
  address.username = "locked";
  address.password = wrongPassword;

  const folder = temporaryDirectory("refused");
  writeFileSync(join(folder, "gateway.yaml"), "apis: []\nportal: {}\nstore: ${STORE}\n");
  const built = await warmSluice(["build", join(folder, "gateway.yaml"), "-o", join(folder, "out")], {
    cwd: projectRoot,
  });
  assert.is(built.status, 0, built.stderr);
  const portal = start(process.execPath, [join(folder, "out", "gateway.mjs")], {
    cwd: folder,
    env: {
      GW_LISTEN: "127.0.0.1:0",
      GW_ADMIN_LISTEN: "127.0.0.1:0",
      GW_LOG_LEVEL: "debug",
      GW_PORTAL_ACCESS_TOKENS: `${marker}-token-of-administrators`,
      STORE: address.href,
    },
  });
  const service = startSluice(["serve"], {
    cwd: folder,
    env: {
      GW_MANAGEMENT_API_KEYS: `${marker}-key-of-operators`,
      GW_MANAGEMENT_LISTEN: "127.0.0.1:0",
      GW_STORE_URL: address.href,
      GW_LOG_LEVEL: "debug",
    },
  });
  const reason = 'The store cannot be used: password authentication failed for user \\"locked\\"';
  for (const program of [portal, service]) {
    assert.is(await program.ended, 1, program.output());
    const reported = linesOf(program).filter(({ msg }) => msg === "cannot start");
    assert.is(reported.length, 1, program.output());
    assert.ok(JSON.stringify(reported[0]).includes(reason), program.output());
    assert.is(findSecret(program.output()), undefined);
  }
  await client.end();
  await server.stop();
});

test.run();
