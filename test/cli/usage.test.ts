import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { projectRoot } from "../harness/directories.ts";
import { sluice } from "../harness/sluice.ts";

const commands = [
  "check",
  "build",
  "run",
  "blobl",
  "test",
  "test-connections",
  "explain",
  "schema",
  "types",
  "topology",
  "key",
];

test("help names every command, and each command's help has examples", async () => {
  const { status, stdout, stderr } = await sluice(["--help"]);
  assert.equal([status, stderr], [0, ""]);
  for (const command of commands) {
    assert.match(stdout, new RegExp(`^ {2}${command}\\b`, "m"));
    const help = await sluice([command, "--help"]);
    assert.equal([help.status, help.stderr], [0, ""]);
    assert.match(help.stdout, new RegExp(`^Usage: sluice ${command}\\b`));
    assert.match(help.stdout, new RegExp(`^Examples:\\n( .*\\n)*.*sluice ${command}\\b`, "m"));
  }
});

test("options of check, build and run are in their help", async () => {
  const help = async (command: string) => (await sluice([command, "--help"])).stdout;
  for (const format of ["pretty", "json", "sarif", "github"]) assert.match(await help("check"), format);
  assert.match(await help("build"), "-o, --output <folder>");
  assert.match(await help("run"), "-w, --watch");
  assert.match(await help("run"), "GW_LISTEN");
});

test("without a command the help goes to standard error, and it is misuse", async () => {
  const { status, stdout, stderr } = await sluice([]);
  assert.equal([status, stdout], [2, ""]);
  assert.match(stderr, /^Usage: sluice/);
});

test("the version is the package's", async () => {
  const { version } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
  assert.equal(await sluice(["--version"]), { status: 0, stdout: `${version}\n`, stderr: "" });
});

test("help is a command, too", async () => {
  const { stdout } = await sluice(["check", "--help"]);
  assert.equal(await sluice(["help", "check"]), { status: 0, stdout, stderr: "" });
});

/** Misuse, and the line it is answered with. */
const misuses: readonly (readonly [args: readonly string[], line: string])[] = [
  [["chekc", "a.yaml"], "unknown command 'chekc' (Did you mean check?)"],
  [["nonsense"], "unknown command 'nonsense'; see `sluice --help`"],
  [["import", "nonsense"], "unknown command 'nonsense'; see `sluice import --help`"],
  [["store", "backup"], "missing required argument 'file'; see `sluice store backup --help`"],
  [["check", "--fromat", "json", "a.yaml"], "unknown option '--fromat' (Did you mean --format?)"],
  [["build", "--ouput", "out", "a.yaml"], "unknown option '--ouput' (Did you mean --output?)"],
  [["run", "--wacth", "a.yaml"], "unknown option '--wacth' (Did you mean --watch?)"],
  [["check"], "missing required argument 'documents'; see `sluice check --help`"],
  [["key", "hsah"], "unknown command 'hsah' (Did you mean hash?)"],
  [
    ["key", "hash", "secret"],
    "too many arguments for 'hash'. Expected 0 arguments but got 1: secret; see `sluice key hash --help`",
  ],
  [["explain"], "missing required argument 'code'; see `sluice explain --help`"],
  [["build", "a.yaml"], "option '-o, --output <folder>' is missing; see `sluice build --help`"],
  [
    ["schema", "a.yaml"],
    "too many arguments for 'schema'. Expected 0 arguments but got 1: a.yaml; see `sluice schema --help`",
  ],
  [
    ["check", "--format", "xml", "a.yaml"],
    "option '--format <format>' argument 'xml' is invalid. Allowed choices are pretty, json, sarif, github; see `sluice check --help`",
  ],
];

for (const [args, line] of misuses) {
  test(`misuse is one line and exit code 2: sluice ${args.join(" ")}`, async () => {
    assert.equal(await sluice(args), { status: 2, stdout: "", stderr: `sluice: ${line}\n` });
  });
}

test.run();
