import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { temporaryDirectory } from "../harness/directories.ts";
import { run } from "../harness/processes.ts";
import { warmSluice } from "../harness/sluice.ts";

const folder = temporaryDirectory("completion");
for (const name of ["bash", "zsh", "fish"]) {
  const { status, stdout, stderr } = await warmSluice(["completion", name]);
  assert.equal([status, stderr], [0, ""]);
  writeFileSync(join(folder, name), stdout);
}

/** Returns `test` or, outside CI, `test.skip` if the shell is not installed: in CI, a missing shell is a failure. */
const shellTest = (name: string) =>
  process.env.CI === "true" || spawnSync(name, ["--version"]).error === undefined ? test : test.skip;

/** The words up to the cursor, and their completions. */
const lines: readonly (readonly [words: readonly string[], completed: readonly string[]])[] = [
  [["comp"], ["completion", "component"]],
  [
    ["component", ""],
    ["init", "reference", "test"],
  ],
  [["check", "--form"], ["--format"]],
  [["check", "a.yaml", "--format", "s"], ["sarif"]],
  [
    ["new", "stream", "--input", "amqp_"],
    ["amqp_0_9", "amqp_1"],
  ],
  [["key", "hash", "--pass"], ["--password"]],
  [
    ["completion", ""],
    ["bash", "fish", "zsh"],
  ],
];

shellTest("bash")("bash completes commands, options and their values, and files", async () => {
  writeFileSync(join(folder, "orders.yaml"), "");
  const inputs = [
    ...lines.map(([words]) => words),
    ["check", "ord"],
    ["build", "-o", "ord"],
    ["check", "--format", "=", "s"],
    ["check", "--format", "="],
  ];
  const script = inputs.map(
    (words) =>
      `COMP_WORDS=(sluice ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; _sluice; echo "\${COMPREPLY[@]}"`,
  );
  const done = await run("bash", ["--norc", "-c", `source ./bash\n${script.join("\n")}`], { cwd: folder });
  assert.is(done.stderr, "");
  const completed = done.stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split(" ").toSorted());
  assert.equal(completed, [
    ...lines.map(([, expected]) => [...expected]),
    ["orders.yaml"],
    ["orders.yaml"],
    ["sarif"],
    ["github", "json", "pretty", "sarif"],
  ]);
});

shellTest("zsh")("zsh reads its script and finds the same", async () => {
  const script = lines.map(
    ([words]) =>
      `_sluice_words '${words.at(-2) ?? "sluice"}' '${words.at(-1)}' ${words
        .slice(0, -1)
        .map((word) => `'${word}'`)
        .join(" ")}`,
  );
  const start = "autoload -Uz compinit; compinit -u -d ./dump; source ./zsh";
  const done = await run("zsh", ["-f", "-c", `${start}; echo $_comps[sluice]\n${script.join("\n")}`], {
    cwd: folder,
  });
  assert.is(done.stderr, "");
  const [completer, ...found] = done.stdout.split("\n").slice(0, -1);
  assert.is(completer, "_sluice");
  const completed = found.map((line, at) =>
    line
      .split(" ")
      .filter((word) => word.startsWith(lines[at]?.[0].at(-1) ?? ""))
      .toSorted(),
  );
  assert.equal(
    completed,
    lines.map(([, expected]) => [...expected]),
  );
});

shellTest("fish")("fish completes them, too", async () => {
  const script = lines.map(([words]) => `complete -C 'sluice ${words.join(" ")}'; echo =`);
  const home = { HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
  const done = await run("fish", ["--no-config", "-c", `source ./fish\n${script.join("\n")}`], {
    cwd: folder,
    env: home,
  });
  assert.is(done.stderr, "");
  const completed = done.stdout
    .split("=\n")
    .slice(0, -1)
    .map((part) =>
      part
        .split("\n")
        .slice(0, -1)
        .map((line) => line.split("\t")[0] ?? "")
        .toSorted(),
    );
  assert.equal(
    completed,
    lines.map(([, expected]) => [...expected]),
  );
});

shellTest("groff")("the manual page is well-formed roff with every command", async () => {
  const page = await warmSluice(["man"]);
  const done = await run("groff", ["-man", "-ww", "-Tutf8", "-P-cbou"], { input: page.stdout });
  assert.equal([done.status, done.stderr], [0, ""]);
  for (const text of ["sluice component init [folder]", "--max-warnings <number>", "NAME", "EXIT STATUS"]) {
    assert.ok(done.stdout.replaceAll("‐", "-").includes(text), text);
  }
});

test("an unknown shell is misuse", async () => {
  const { status, stderr } = await warmSluice(["completion", "tcsh"]);
  assert.is(status, 64);
  assert.match(stderr, "Allowed choices are bash, zsh, fish;");
});

test.run();
