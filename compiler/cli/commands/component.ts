// Runs `sluice component`. `init` creates a working package of components: the example of this package, renamed.
// `test` runs the tests of a package with Node's test runner; `reference` prints the components and functions of a
// set's packages as Markdown.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import type { SetOption } from "../command-options.ts";
import { fillFolder, nameFor, shellWord } from "../output-folder.ts";
import { packageRoot } from "../package-root.ts";
import { packageReference } from "../reference.ts";
import { dialectOf } from "../set-dialect.ts";
import { printable } from "../terminal.ts";

/** Path below the package. `npm pack` includes it. */
const template = "examples/own-component";
/** The name of the example in its `package.json`. */
const templateName = "sluice-lines";
/** Folders that tools create in a clone; they are not copied. */
const leftOut = /(?:^|[\\/])(?:node_modules|out)(?:[\\/]|$)/;

/**
 * Creates the folder, whose tests and example work immediately. Returns the exit code. Throws an `OutputError` if the
 * folder is not empty.
 */
export async function runComponentInit(folder: string): Promise<number> {
  await fillFolder(folder, () => writePackage(folder));
  const steps = [
    ...(folder === "." ? [] : [`cd ${shellWord(folder)}`]),
    "npm test",
    "npx sluice check example/gateway.yaml",
    "npx sluice test --set example/gateway.yaml example",
  ];
  process.stdout.write(
    `made ${printable(folder)}\n\n${steps.map((step) => `  ${printable(step)}\n`).join("")}`,
  );
  return 0;
}

function writePackage(folder: string): void {
  const from = join(packageRoot(), template);
  cpSync(from, folder, { recursive: true, filter: (path) => !leftOut.test(path.slice(from.length)) });
  for (const file of ["package.json", "README.md"]) rename(join(folder, file), nameFor(folder, templateName));
  writeFileSync(join(folder, ".gitignore"), "node_modules\nout\n");
  linkPackage(folder);
}

/** Links this installation into the folder if it finds no other, like `npm link`. */
function linkPackage(folder: string): void {
  try {
    createRequire(resolve(folder, "package.json")).resolve("sluice/package.json");
    return;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND")) throw error;
  }
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  symlinkSync(packageRoot(), join(folder, "node_modules/sluice"), "junction");
  symlinkSync("../sluice/bin/sluice.js", join(folder, "node_modules/.bin/sluice"));
}

function rename(file: string, name: string): void {
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(templateName, name));
}

/** Prints the reference. Returns the exit code. */
export async function runComponentReference(options: SetOption): Promise<number> {
  const dialect = await dialectOf(options);
  if (dialect === undefined) return 1;
  const names = dialect.packages.map(({ name }) => `\`${name}\``).join(", ");
  if (names === "") {
    process.stderr.write("sluice: no package brings components; name some in `components` of gateway.yaml\n");
    return 1;
  }
  process.stdout.write(`# Components of ${names}\n\n${packageReference(dialect)}`);
  return 0;
}

/** Runs the tests below `folder`. Returns the exit code. */
export async function runComponentTest(folder: string): Promise<number> {
  const [major = 0] = process.versions.node.split(".").map(Number);
  if (major < 24) {
    process.stderr.write(
      `sluice: tests of components need Node 24 or newer, and this is ${process.version}\n`,
    );
    return 1;
  }
  // Node's runner succeeds without a test, and a wrong folder would pass in CI.
  const tests = globSync("test/**/*.test.{ts,mts,js,mjs}", { cwd: folder });
  if (tests.length === 0) {
    process.stderr.write(`sluice: no tests found in ${printable(join(folder, "test"))}\n`);
    return 1;
  }
  const runner = spawn(process.execPath, ["--test", ...tests], { cwd: folder, stdio: "inherit" });
  const [status] = await once(runner, "exit");
  return status === 0 ? 0 : 1;
}
