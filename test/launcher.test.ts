import { cpSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { projectRoot, temporaryDirectory } from "./harness/directories.ts";
import { run, start } from "./harness/processes.ts";

// A Node that reports an old version; it starts the Node of the platform package, which reports its real one.
const oldNode = [
  "--import",
  `data:text/javascript,Object.defineProperty(process.versions, "node", { value: "20.1.0" })`,
];
const launcher = join(projectRoot, "scripts/run.js");

function script(text: string): string {
  const file = join(temporaryDirectory("script"), "script.ts");
  writeFileSync(file, text);
  return file;
}

function hasPlatformNode(): boolean {
  try {
    createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/package.json`);
    return true;
  } catch {
    return false; // not installed is the answer asked for
  }
}

const overOldNode = hasPlatformNode() ? test : test.skip;

test("a script runs in the same process if Node is new enough", async () => {
  const file = script("const all: string[] = process.argv; console.log(process.pid, all.slice(1).join());");
  const program = start(process.execPath, [launcher, file, "a", "b c"]);
  await program.ended;
  assert.is(program.output(), `${program.process.pid} ${file},a,b c\n`);
});

overOldNode("an old Node hands over arguments, streams and the exit status", async () => {
  const file = script(
    "process.stdin.pipe(process.stdout); console.error(process.argv[2]); process.exitCode = 7 as number;",
  );
  const outcome = await run(process.execPath, [...oldNode, launcher, file, "a b"], { input: "in" });
  assert.equal(outcome, { status: 7, stdout: "in", stderr: "a b\n" });
});

overOldNode("an old Node passes a signal on and waits for the orderly end", async () => {
  const file = script(`
    process.on("SIGTERM", () => { console.log("stopping"); process.exit(0); });
    setInterval(() => {}, 1000);
    console.log("ready");
  `);
  const program = start(process.execPath, [...oldNode, launcher, file]);
  await program.matching(/ready/);
  assert.is(await program.stop("SIGTERM"), 0);
  assert.match(program.output(), "stopping");
});

overOldNode("an old Node dies of the signal its script died of", async () => {
  const outcome = await run(process.execPath, [
    ...oldNode,
    launcher,
    script(`process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000);`),
  ]);
  assert.is(outcome.status, "SIGTERM");
});

test("an old Node without a newer one prints instructions and exits with 1", async () => {
  const alone = temporaryDirectory("launcher");
  cpSync(join(projectRoot, "bin"), join(alone, "bin"), { recursive: true });
  writeFileSync(join(alone, "package.json"), `{ "type": "module" }`);
  const outcome = await run(process.execPath, [...oldNode, join(alone, "bin/sluice.js"), "--help"]);
  assert.is(outcome.status, 1);
  assert.is(outcome.stdout, "");
  assert.match(outcome.stderr, /^sluice needs Node 20\.19 or newer and this is .*: install it, .*\.\n$/);
});

/** Seconds since 1970, at which files of a clone were written. */
const [before, built, after] = [1000, 2000, 3000];

/** Returns what `sluice` runs in a clone; `stamped`: when the sources of the complete bundle were read. */
async function runIn(written: number, stamped?: number): Promise<string> {
  const clone = temporaryDirectory("clone");
  cpSync(join(projectRoot, "bin"), join(clone, "bin"), { recursive: true });
  writeFileSync(join(clone, "package.json"), `{ "type": "module" }`);
  const folders = [
    "cli",
    "compiler",
    "language-server",
    "management",
    "pages",
    "runtime",
    "schemas",
    "scripts",
  ];
  for (const folder of ["dist", ...folders]) mkdirSync(join(clone, folder));
  const write = (file: string, text: string, time: number) => {
    writeFileSync(join(clone, file), text);
    utimesSync(join(clone, file), time, time);
  };
  write("cli/main.ts", `console.log("sources" as string);`, before);
  write("compiler/index.ts", "", written);
  write("dist/cli.js", `console.log("bundle");`, after);
  if (stamped !== undefined) write("dist/built-from", "", stamped);
  for (const folder of folders) utimesSync(join(clone, folder), before, before);
  return (await run(process.execPath, [join(clone, "bin/sluice.js")])).stdout;
}

test("the command runs the bundle of the present sources", async () => {
  assert.is(await runIn(before, built), "bundle\n");
});

test("the command runs the sources while the bundle is being built", async () => {
  assert.is(await runIn(before), "sources\n");
});

test("the command runs sources that changed after the bundler had read them", async () => {
  assert.is(await runIn((built + after) / 2, built), "sources\n");
});

test.run();
