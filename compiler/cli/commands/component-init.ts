// `sluice component init`: a package of components that works, as a start. It is the example of this package, renamed.

import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { isFree, nameFor } from "../new-folder.ts";
import { packageRoot } from "../package-root.ts";

/** Below the package; `npm pack` takes it along. */
const template = "examples/own-component";
/** The name of the example in its `package.json`. */
const templateName = "sluice-lines";
/** What tools leave behind in a clone. */
const leftOut = /(?:^|[\\/])(?:node_modules|out)(?:[\\/]|$)/;

/**
 * Makes the folder, whose tests and example work at once. Gives the exit code: 1 where there is something in it already.
 */
export async function runComponentInit(folder: string): Promise<number> {
  if (!isFree(folder)) {
    process.stderr.write(`sluice: ${folder} is not an empty folder\n`);
    return 1;
  }
  const from = join(packageRoot(), template);
  mkdirSync(folder, { recursive: true });
  cpSync(from, folder, { recursive: true, filter: (path) => !leftOut.test(path.slice(from.length)) });
  for (const file of ["package.json", "README.md"]) rename(join(folder, file), nameFor(folder, templateName));
  writeFileSync(join(folder, ".gitignore"), "node_modules\nout\n");
  linkPackage(folder);
  const steps = [
    ...(folder === "." ? [] : [`cd ${folder}`]),
    "npm test",
    "npx sluice check example/gateway.yaml",
    "npx sluice test --set example/gateway.yaml example",
  ];
  process.stdout.write(`made ${folder}\n\n${steps.map((step) => `  ${step}\n`).join("")}`);
  return 0;
}

/** Has the folder find this installation where it finds no other, as `npm link` would. */
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
