// `npm run reference:tests`: what of the reference engine's own tests and documents passes here. A program of its own, as
// its sources are no part of this project.

import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { temporaryDirectory } from "../harness/directories.ts";
import { runConfigurationTests } from "./configuration-tests.ts";
import { checkConfigurations, type DocumentedConfiguration, readConfigurations } from "./documents.ts";
import { holds, renderFindings } from "./findings.ts";

const folder = temporaryDirectory("reference");
const { BENTO_SOURCE, BENTO_PROGRAM } = process.env;
if (BENTO_SOURCE === undefined || !existsSync(join(BENTO_SOURCE, "website/docs"))) {
  console.log("skipped: BENTO_SOURCE does not name a folder with the sources of the reference engine");
} else {
  process.exitCode = await compare(resolve(BENTO_SOURCE), BENTO_PROGRAM);
}

async function compare(source: string, program: string | undefined): Promise<0 | 1> {
  process.chdir(source);
  const tests = await runConfigurationTests(source);
  console.log(renderFindings("configuration tests", tests));
  const all = readConfigurations(source);
  const valid = program === undefined ? all : all.filter((each) => accepts(program, each));
  if (program === undefined)
    console.log("BENTO_PROGRAM is not set: documents that its lint would refuse are among these");
  const documents = await checkConfigurations(valid);
  console.log(renderFindings("documents", documents));
  return holds([...tests, ...documents]) ? 0 : 1;
}

/** Whether the reference engine's own lint accepts a configuration. */
function accepts(program: string, { text }: DocumentedConfiguration): boolean {
  const file = join(folder, "stream.yaml");
  writeFileSync(file, text);
  try {
    execFileSync(program, ["lint", file], { stdio: "ignore" });
    return true;
  } catch {
    return false; // its exit code says so
  }
}
