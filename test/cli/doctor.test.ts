import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import {
  examineClock,
  examineNode,
  examinePort,
  fileLimitFinding,
} from "../../compiler/cli/doctor/machine.ts";
import { planDocuments } from "../../compiler/compile.ts";
import { checksPasswords } from "../../compiler/emit/manifest.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { createCertificates } from "../harness/certificates.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { warmSluice } from "../harness/sluice.ts";

const folder = temporaryDirectory("doctor");
const free = { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0" };

/** Returns the findings of a run, by their subject. */
async function findingsOf(paths: readonly string[], env: Readonly<Record<string, string>>) {
  const { status, stdout, stderr } = await warmSluice(["doctor", "--json", ...paths], {
    cwd: folder,
    env: { ...free, ...env },
  });
  assert.is(stderr, "");
  const findings: { check: string; outcome: string; found: string; remedy?: string }[] = JSON.parse(stdout);
  return { status, findings: new Map(findings.map((finding) => [finding.check, finding])) };
}

test("Node versions: too old, without argon2, supported", () => {
  assert.equal(
    ["20.20.2", "22.14.0", "22.15.0", "24.6.0", "24.7.0", "26.0.0"].map(
      (version) => examineNode(version, true).outcome,
    ),
    ["error", "error", "warning", "warning", "fine", "fine"],
  );
  assert.is(examineNode("22.15.0", false).outcome, "fine", "where no passwords are checked");
});

test("a port in use is reported with the variable that changes it", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { status, findings } = await findingsOf([], { GW_LISTEN: `127.0.0.1:${port}` });
  assert.is(status, 1);
  assert.equal(findings.get("port of GW_LISTEN"), {
    check: "port of GW_LISTEN",
    outcome: "error",
    found: `127.0.0.1:${port} is in use`,
    remedy: "set GW_LISTEN to another address, such as 127.0.0.1:8090, or end what listens there",
  });
  assert.is(findings.get("port of GW_ADMIN_LISTEN")?.outcome, "fine");
  server.close();
});

test("passwords are verified by basic authentication and by mappings that compare hashes", async () => {
  const scheme = { type: "http", scheme: "basic" };
  const api = (security: object, check: string) => ({
    openapi: "3.1.1",
    info: { title: "A", version: "1" },
    paths: {},
    components: { securitySchemes: { users: scheme } },
    ...security,
    "x-gw-streaming": {
      streams: {
        one: { input: { generate: { mapping: `root = ${check}` } }, output: { drop: {} } },
      },
    },
  });
  const checks = async (security: object, check: string) => {
    const fileSystem = createMemoryFileSystem({ "api.json": JSON.stringify(api(security, check)) });
    const { plan, diagnostics } = await planDocuments(["api.json"], { fileSystem });
    assert.ok(plan, JSON.stringify(diagnostics));
    return checksPasswords(plan);
  };
  assert.is(await checks({}, '"a"'), false);
  assert.is(await checks({}, '"a".compare_argon2("b")'), true);
  assert.is(await checks({ security: [{ users: [] }] }, '"a"'), true);
});

test("an invalid listen address is reported", async () => {
  for (const address of ["nonsense", "127.0.0.1:70000", "[::1"]) {
    assert.match((await examinePort({ variable: "GW_LISTEN", address })).found, "is not an address");
  }
  for (const address of [":0", "systemd", "systemd:web"]) {
    assert.is((await examinePort({ variable: "GW_LISTEN", address })).outcome, "fine");
  }
  const { found } = await examinePort({ variable: "GW_LISTEN", address: "192.0.2.1:8080" });
  assert.is(found, "192.0.2.1:8080 is no address of this machine");
});

test("a clock in the past is an error, and a low limit of open files a warning", () => {
  assert.is(examineClock(new Date("1980-01-01T00:00:00Z")).outcome, "error");
  assert.equal(
    ["256", "4096", "unlimited"].map((limit) => fileLimitFinding(limit).outcome),
    ["warning", "fine", "fine"],
  );
});

test("a variable with an invalid value is a finding, next to all others", async () => {
  writeFileSync(
    join(folder, "limited.yaml"),
    `input: { generate: { count: "\${COUNT:1}", mapping: root = 1 } }\noutput: { drop: {} }\n`,
  );
  const ofProcess = {
    GW_WORKERS: "x",
    GW_DRAIN_DELAY: "2h",
    GW_LOG_LEVEL: "debug",
    GW_SHUTDOWN_TIMOUT: "5s",
  };
  const { status, findings } = await findingsOf(["limited.yaml"], { COUNT: "x", ...ofProcess });
  assert.is(status, 1);
  const { found, ...finding } = findings.get("variable COUNT") ?? {};
  assert.equal(finding, { check: "variable COUNT", outcome: "error", remedy: "correct its value" });
  assert.match(found ?? "", /^COUNT \(limited\.yaml:1\) is not an integer/);
  assert.equal(
    ["WORKERS", "DRAIN_DELAY", "LOG_LEVEL"].map((name) => findings.get(`variable GW_${name}`)?.found),
    ["GW_WORKERS is not an integer", "GW_DRAIN_DELAY is not between 0s and 1h", "set"],
  );
  assert.equal(findings.get("variable GW_SHUTDOWN_TIMOUT"), {
    ...{ check: "variable GW_SHUTDOWN_TIMOUT", outcome: "warning" },
    ...{ found: "set, but not read", remedy: "did you mean GW_SHUTDOWN_TIMEOUT?" },
  });
});

test("an invalid store and invalid tokens hide no other finding", async () => {
  const cwd = temporaryDirectory("doctor-portal");
  writeFileSync(
    join(cwd, "gateway.yaml"),
    `streaming: { enabled: true }\nstore: "sqlite:./gateway.db"\nportal: { enabled: true }\napis: [stream.yaml]\n`,
  );
  writeFileSync(
    join(cwd, "stream.yaml"),
    `input: { generate: { count: "\${COUNT:1}", mapping: root = 1 } }\noutput: { drop: {} }\n`,
  );
  const { stdout } = await warmSluice(["doctor", "--json", "gateway.yaml"], {
    cwd,
    env: {
      ...free,
      ...{
        COUNT: "x",
        GW_STORE_URL: "mysql://user:secret@db/a",
        GW_PORTAL_ACCESS_TOKENS: "acme:",
        GW_WORKERS: "x",
      },
    },
  });
  const findings: { check: string; found: string }[] = JSON.parse(stdout);
  const of = (name: string) => findings.find(({ check }) => check === `variable ${name}`)?.found;
  assert.equal(["GW_STORE_URL", "GW_PORTAL_ACCESS_TOKENS", "GW_WORKERS"].map(of), [
    "GW_STORE_URL is neither `sqlite:PATH` nor `postgres://…`",
    "GW_PORTAL_ACCESS_TOKENS has an entry that is neither `TOKEN` nor `ORG:TOKEN`",
    "GW_WORKERS is not an integer",
  ]);
  assert.match(of("COUNT") ?? "", /is not an integer/);
});

test("missing variables, mounted secrets and unreachable brokers are findings, each with a remedy", async () => {
  writeFileSync(
    join(folder, "stream.yaml"),
    `input: { redis_pubsub: { url: "\${URL}", channels: [a] } }\noutput: { drop: {} }\n`,
  );
  const without = await findingsOf(["stream.yaml"], {});
  assert.is(without.status, 1);
  assert.equal(without.findings.get("variable URL"), {
    ...{ check: "variable URL", outcome: "error", found: "not set (stream.yaml:1)", remedy: "export URL=…" },
  });
  const { status, findings } = await findingsOf(["stream.yaml"], { URL: "redis://127.0.0.1:1" });
  assert.is(status, 1);
  assert.is(findings.get("variable URL")?.outcome, "fine");
  const broker = [...findings.values()].find(({ check }) => check.startsWith("redis_pubsub"));
  assert.is(broker?.outcome, "error");
  assert.match(broker?.found ?? "", "the connection is refused");
  assert.ok(broker?.remedy);
});

test("addresses of gateway.yaml and the defaults of broker addresses are examined", async () => {
  const cwd = temporaryDirectory("doctor-settings");
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const settings = `listen: { address: "127.0.0.1:\${PORT:${port}}" }\nadmin: { listen: "127.0.0.1:0" }`;
  writeFileSync(
    join(cwd, "gateway.yaml"),
    `${settings}\nstreaming: { enabled: true }\napis: [stream.yaml]\n`,
  );
  writeFileSync(
    join(cwd, "stream.yaml"),
    `input: { redis_pubsub: { url: "\${URL:redis://127.0.0.1:1}", channels: ["\${CHANNEL:a}"] } }\noutput: { drop: {} }\n`,
  );
  const { stdout } = await warmSluice(["doctor", "--json", "gateway.yaml"], {
    cwd,
    env: { GW_LISTEN: "", GW_ADMIN_LISTEN: "" },
  });
  server.close();
  const findings: { check: string; found: string; remedy?: string }[] = JSON.parse(stdout);
  const of = (name: string) => findings.find(({ check }) => check.startsWith(name));
  assert.is(of("port of listen.address")?.found, `127.0.0.1:${port} is in use`);
  assert.match(
    of("port of listen.address")?.remedy ?? "",
    "set GW_LISTEN, or `listen.address` of gateway.yaml, to",
  );
  assert.is(of("port of admin.listen")?.found, "127.0.0.1:0 is free");
  assert.is(of("port of GW_"), undefined);
  assert.match(
    of("redis_pubsub")?.found ?? "",
    /nothing listens there; it is the default of URL \(\S*stream\.yaml:1\), not set here$/,
  );
});

test("the certificate of the listener: valid, expired and unreadable", async () => {
  const certificates = await createCertificates();
  const tls = '{ cert_file: "${CERT}", key_file: "${KEY}" }';
  writeFileSync(
    join(folder, "gateway.yaml"),
    `listen: { address: "127.0.0.1:0", tls: ${tls} }\nstreaming: { enabled: true }\napis: []\n`,
  );
  const examine = async ({ certFile: CERT, keyFile: KEY }: { certFile: string; keyFile: string }) => {
    const { status, findings } = await findingsOf(["gateway.yaml"], { CERT, KEY });
    return { status, ...findings.get(`certificate ${CERT}`) };
  };
  const fine = await examine(certificates.server);
  assert.is(fine.outcome, "fine");
  assert.match(fine.found ?? "", /^valid until \d{4}-/);
  const expired = await examine(await certificates.lasting(-1));
  assert.is(expired.status, 1);
  assert.is(expired.outcome, "error");
  assert.match(expired.found ?? "", /^expired \(CN=lasting--1, valid until /);
  assert.match(expired.remedy ?? "", "replace the files");
  const away = await examine({ ...certificates.server, certFile: join(folder, "away.pem") });
  assert.is(away.outcome, "error");
  assert.match(away.found ?? "", /^listen\.tls\.cert_file .*cannot be read \(no such file or directory\)$/);
});

test("an expired client certificate is a finding, even if the server is unreachable", async () => {
  const { certFile, keyFile } = await (await createCertificates()).lasting(-1);
  writeFileSync(
    join(folder, "shown.yaml"),
    `input: { generate: { count: 1, mapping: root = 1 } }
output:
  http_client:
    url: https://127.0.0.1:9/
    tls: { enabled: true, client_certs: [{ cert_file: "${certFile}", key_file: "${keyFile}" }] }
`,
  );
  const { status, findings } = await findingsOf(["shown.yaml"], {});
  assert.is(status, 1);
  const finding = findings.get(`certificate ${certFile}`);
  assert.is(finding?.outcome, "error");
  assert.match(finding?.found ?? "", /^expired \(CN=lasting--1, valid until /);
  assert.is(finding?.remedy, "replace the files of `tls.client_certs`; the gateway reads them again");
});

test("documents with errors suggest `sluice check`, and the pretty output has marks and a count", async () => {
  writeFileSync(join(folder, "wrong.yaml"), "input: { kafak: {} }\noutput: { drop: {} }\n");
  const { status, stdout } = await warmSluice(["doctor", "wrong.yaml"], { cwd: folder, env: free });
  assert.is(status, 1);
  assert.match(stdout, "✗ documents: 1 error\n    = remedy: sluice check wrong.yaml\n");
  assert.match(stdout, /\n\n\d fine, \d to look at, \d to put right\n$/);
});

test.run();
