import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, CommanderError } from "commander";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { describeCommands } from "../../cli/describe-commands.ts";
import { createSluice } from "../../cli/program.ts";
import { exitCodeRows, exitCodes } from "../../compiler/cli/exit-codes.ts";
import { projectRoot } from "../harness/directories.ts";
import { run } from "../harness/processes.ts";
import { sluice, warmSluice } from "../harness/sluice.ts";

/** Commands of the compiler whose help has examples. */
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

test("help lists every command, and the help of each command has examples", async () => {
  const { status, stdout, stderr } = await warmSluice(["--help"]);
  assert.equal([status, stderr], [0, ""]);
  for (const command of commands) {
    assert.match(stdout, new RegExp(`^ {2}${command}\\b`, "m"));
    const help = await warmSluice([command, "--help"]);
    assert.equal([help.status, help.stderr], [0, ""]);
    assert.match(help.stdout, new RegExp(`^Usage: sluice ${command}\\b`));
    assert.match(help.stdout, new RegExp(`^Examples:\\n( .*\\n)*.*sluice ${command}\\b`, "m"));
  }
});

test("the help of check, build and run lists their options", async () => {
  const help = async (command: string) => (await warmSluice([command, "--help"])).stdout;
  for (const format of ["pretty", "json", "sarif", "github"]) assert.match(await help("check"), format);
  assert.match(await help("build"), "-o, --output <folder>");
  assert.match(await help("run"), "-w, --watch");
  assert.match(await help("run"), "GW_LISTEN");
});

test("without a command, help goes to standard error with the exit code of misuse", async () => {
  const { status, stdout, stderr } = await warmSluice([]);
  assert.equal([status, stdout], [64, ""]);
  assert.match(stderr, /^Usage: sluice/);
});

test("--version prints the version of the package", async () => {
  const { version } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
  assert.equal(await sluice(["--version"]), { status: 0, stdout: `${version}\n`, stderr: "" });
});

test("`help` is also a command", async () => {
  const { stdout } = await warmSluice(["check", "--help"]);
  assert.equal(await warmSluice(["help", "check"]), { status: 0, stdout, stderr: "" });
});

/** Wrong usage, and the line that the command prints. */
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
    "too many arguments for 'hash'. Expected 0 arguments but got 1; see `sluice key hash --help`",
  ],
  [["key", "s3cret"], "unknown command; see `sluice key --help`"],
  [["key", "hash", "--password=s3cret"], "unknown option '--password'; see `sluice key hash --help`"],
  [["explain"], "missing required argument 'code'; see `sluice explain --help`"],
  [["build", "a.yaml"], "option '-o, --output <folder>' is missing; see `sluice build --help`"],
  [
    ["schema", "a.yaml"],
    "too many arguments for 'schema'. Expected 0 arguments but got 1; see `sluice schema --help`",
  ],
  [
    ["check", "--format", "xml", "a.yaml"],
    "option '--format <format>' argument 'xml' is invalid. Allowed choices are pretty, json, sarif, github; see `sluice check --help`",
  ],
];

for (const [args, line] of misuses) {
  test(`misuse is one line and exit code 64: sluice ${args.join(" ")}`, async () => {
    assert.equal(await warmSluice(args), { status: 64, stdout: "", stderr: `sluice: ${line}\n` });
  });
}

test("every command reports misuse with the exit code of misuse", async () => {
  const program = createSluice();
  const written: string[] = [];
  const silence = (command: Command): void => {
    command.configureOutput({
      writeErr: (text) => written.push(text),
      writeOut: (text) => written.push(text),
    });
    for (const below of command.commands) silence(below);
  };
  silence(program);
  for (const { path } of describeCommands(program)) {
    const [, ...words] = path;
    written.length = 0;
    const failure = await program
      .parseAsync(["node", "sluice", ...words, "--no-such-option"])
      .catch((e) => e);
    assert.instance(failure, CommanderError, path.join(" "));
    assert.is.not(failure.exitCode, 0);
    assert.match(written.join(""), /^sluice: .+; see `sluice.* --help`\n$/);
  }
  const planned = await warmSluice(["plan", "--server", "http://127.0.0.1:1"]);
  assert.equal([planned.status, planned.stdout], [64, ""]);
  const variables = { GW_MANAGEMENT_TOKEN: "", GW_MANAGEMENT_URL: "http://127.0.0.1:1" };
  for (const command of ["plan", "apply", "export"]) {
    const { status, stderr } = await warmSluice([command, "-f", "."], { env: variables });
    assert.equal(
      [status, stderr],
      [64, "sluice: GW_MANAGEMENT_TOKEN is not set; it holds a key of the service\n"],
    );
  }
});

test("control characters of arguments do not reach the terminal", async () => {
  const name = "\u001B]0;title\u0007\u009Bx";
  for (const args of [[name], ["explain", name]]) {
    const { stderr } = await warmSluice(args);
    assert.match(stderr, /title/);
    assert.not.match(stderr, /[^\P{Cc}\n]/u);
  }
});

test("a full disk behind standard output is reported in one line", async () => {
  if (!existsSync("/dev/full")) return;
  const command = `"${process.execPath}" bin/sluice.js schema > /dev/full`;
  const { status, stderr } = await run("sh", ["-c", command], { cwd: projectRoot });
  assert.equal([status, stderr], [1, "sluice: cannot write to standard output: no space left on device\n"]);
});

test("the manual lists every exit code, each with one meaning", async () => {
  const codes = exitCodeRows.map(({ code }) => code);
  assert.equal(codes.toSorted(), Object.values(exitCodes).toSorted());
  assert.is(new Set(codes).size, codes.length);
  const { stdout } = await warmSluice(["man"]);
  for (const code of codes) assert.match(stdout, `.TP\n${code}\n`);
});

test.run();
