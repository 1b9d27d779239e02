import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { runShared, serveHosts } from "./command-hosts.ts";
import { temporaryDirectory } from "./directories.ts";

/** A program that does as its argument says. */
const program = `
const [what] = process.argv.slice(2);
if (what === "crash") process.exit(3);
if (what === "hang") await new Promise(() => setInterval(() => undefined, 60_000));
console.log(process.pid, what, process.cwd(), process.env.NAME);
`;

test("files share hosts, which survive commands that crash and tests that are killed", async () => {
  const cwd = temporaryDirectory("hosts");
  const [path, script] = [join(cwd, "socket"), join(cwd, "program.mjs")];
  writeFileSync(script, program);
  const hosts = await serveHosts(path, 1, script);
  const command = (what: string) => ({ args: [what], cwd, env: { NAME: what } });
  const [one, two] = await Promise.all(["one", "two"].map((what) => runShared(path, command(what))));
  const pid = /^\d+/.exec(one?.stdout ?? "")?.[0];
  assert.equal(one, { status: 0, stdout: `${pid} one ${cwd} one\n`, stderr: "" });
  assert.equal(two, { status: 0, stdout: `${pid} two ${cwd} two\n`, stderr: "" });
  const crashed = await runShared(path, command("crash")).catch(String);
  assert.match(String(crashed), "`sluice crash` ended its host: 3");
  const killed = connect(path);
  killed.write(`${JSON.stringify(command("hang"))}\n`, () => killed.destroy());
  assert.match((await runShared(path, command("three"))).stdout, / three /);
  hosts.end();
});

test.run();
