import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { folderWith } from "../cli/documents.ts";
import { projectRoot } from "../harness/directories.ts";
import { freePort } from "../harness/ports.ts";
import { findProgram, run, start } from "../harness/processes.ts";
import { warmSluice } from "../harness/sluice.ts";
import { until } from "../harness/wait.ts";

const activate = findProgram("systemd-socket-activate");
const analyze = findProgram("systemd-analyze");
if (activate === undefined || analyze === undefined) throw new Error("systemd is not installed");

const folder = folderWith({
  "orders.yaml": `input: { http_server: { path: /new } }\noutput: { sync_response: {} }\n`,
});
const built = await warmSluice(["build", "orders.yaml", "-o", "out"], { cwd: folder });
if (built.status !== 0) throw new Error(built.stderr);
const bundle = join(folder, "out/gateway.mjs");

for (const workers of [1, 2]) {
  test(`a gateway uses sockets of systemd by their names, with ${workers} workers`, async () => {
    const [port, admin] = [await freePort(), await freePort()];
    const settings = {
      GW_LISTEN: "systemd:gateway",
      GW_ADMIN_LISTEN: "systemd:admin",
      GW_WORKERS: String(workers),
    };
    const gateway = start(activate, [
      ...["-l", `127.0.0.1:${admin}`, "-l", `127.0.0.1:${port}`, "--fdname=admin:gateway"],
      ...Object.entries(settings).flatMap(([name, value]) => ["-E", `${name}=${value}`]),
      ...[process.execPath, bundle],
    ]);
    // The first connection starts it, and waits until the gateway takes it.
    await until(async () => {
      const { status } = await fetch(`http://127.0.0.1:${admin}/readyz`);
      return status === 200;
    });
    const answer = await fetch(`http://127.0.0.1:${port}/new`, { method: "POST", body: "hello" });
    assert.is(await answer.text(), "hello");
    assert.match(
      gateway.output(),
      `"gateway":"http://127.0.0.1:${port}","admin":"http://127.0.0.1:${admin}"`,
    );
    assert.is(await gateway.stop(), 0, gateway.output());
  });
}

test("a gateway without its systemd socket reports that, and does not start", async () => {
  const env = { GW_LISTEN: "systemd:gateway", GW_ADMIN_LISTEN: "systemd" };
  const without = await run(process.execPath, [bundle], { env });
  assert.is(without.status, 1);
  const output = without.stdout + without.stderr;
  assert.match(output, "GW_LISTEN asks for a socket of systemd, and none was handed to this process");
  assert.match(output, "GW_ADMIN_LISTEN asks for a socket of systemd, and none was handed to this process");
  const foreign = await run("/bin/sh", ["-c", `LISTEN_PID=$$ exec "${process.execPath}" "${bundle}"`], {
    env: { ...env, LISTEN_FDS: "1", LISTEN_FDNAMES: "other" },
  });
  assert.match(
    foreign.stdout + foreign.stderr,
    "GW_LISTEN asks for a socket of systemd, and none is named gateway",
  );
  assert.match(foreign.stdout + foreign.stderr, "descriptor 3 is not a socket");
});

test("systemd accepts the units, and rates the service as well protected", async () => {
  for (const name of ["sluice.service", "sluice.socket"]) {
    const text = readFileSync(join(projectRoot, "deploy/systemd", name), "utf8");
    // The program has to be there to be verified.
    writeFileSync(join(folder, name), text.replace("/usr/bin/node", process.execPath));
  }
  const units = [join(folder, "sluice.service"), join(folder, "sluice.socket")];
  const verified = await run(analyze, ["verify", "--man=no", ...units]);
  assert.is(verified.status, 0, verified.stderr);
  assert.is(
    verified.stderr
      .split("\n")
      .filter((line) => line.includes("sluice."))
      .join("\n"),
    "",
  );
  const rated = await run(analyze, [
    "security",
    "--offline=yes",
    "--threshold=25",
    "--no-pager",
    units[0] ?? "",
  ]);
  assert.is(rated.status, 0, rated.stdout);
});

test.run();
