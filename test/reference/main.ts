// `npm run reference:tests`: reports which of the reference engine's own tests and documents, and of the gateway vendor's
// documents, pass. A separate program, because none of them is part of this project.

import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { temporaryDirectory } from "../harness/directories.ts";
import { runConfigurationTests } from "./configuration-tests.ts";
import { checkConfigurations, type DocumentedConfiguration, readConfigurations } from "./documents.ts";
import { type Finding, holds, renderFindings } from "./findings.ts";

const folder = temporaryDirectory("reference");
const { BENTO_SOURCE, BENTO_PROGRAM, VENDOR_DOCS } = process.env;
const judged: Finding[] = [];
if (VENDOR_DOCS === undefined || !existsSync(VENDOR_DOCS)) {
  console.log("skipped: VENDOR_DOCS does not name a folder with pages of the gateway's vendor");
} else judged.push(...(await checkDocumented("documents of the vendor", readConfigurations(VENDOR_DOCS))));
if (BENTO_SOURCE === undefined || !existsSync(join(BENTO_SOURCE, "website/docs"))) {
  console.log("skipped: BENTO_SOURCE does not name a folder with the sources of the reference engine");
} else judged.push(...(await compare(resolve(BENTO_SOURCE), BENTO_PROGRAM)));
process.exitCode = holds(judged) ? 0 : 1;

async function compare(source: string, program: string | undefined): Promise<readonly Finding[]> {
  process.chdir(source);
  const tests = await runConfigurationTests(source);
  console.log(renderFindings("configuration tests", tests));
  const all = ["docs", "cookbooks"].flatMap((folder) => readConfigurations(join(source, "website", folder)));
  const valid = program === undefined ? all : all.filter((each) => accepts(program, each));
  if (program === undefined)
    console.log("BENTO_PROGRAM is not set: documents that its lint would refuse are among these");
  return [...tests, ...(await checkDocumented("documents", valid))];
}

async function checkDocumented(
  title: string,
  documented: readonly DocumentedConfiguration[],
): Promise<readonly Finding[]> {
  const findings = await checkConfigurations(documented);
  console.log(renderFindings(title, findings));
  return findings;
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
