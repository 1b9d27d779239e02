// Runs the reference engine's own configuration tests like `sluice test`.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestResult } from "../../compiler/embed/unit-tests/run-test.ts";
import { runTests } from "../../compiler/embed/unit-tests/run-tests.ts";
import { nodeFileSystem } from "../../compiler/index.ts";
import type { Finding } from "./findings.ts";

/** Returns every file below `config/` that has tests, including templates. */
function filesWithTests(source: string): readonly string[] {
  const names = readdirSync(join(source, "config"), { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => join("config", name))
    .filter((name) => /^tests:/m.test(readFileSync(join(source, name), "utf8")))
    .sort();
}

/**
 * Runs the tests of each file of the sources at `source`.
 *
 * @param source The root of the reference engine's sources. The process has to be there, as the tests name files from it.
 */
export async function runConfigurationTests(source: string): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const file of filesWithTests(source)) {
    const results = await runTests([file], {
      fileSystem: nodeFileSystem,
      environment: { ...process.env } as Readonly<Record<string, string>>,
    });
    findings.push({ name: file, problems: problemsOf(results) });
  }
  return findings;
}

function problemsOf(results: readonly TestResult[]): Finding["problems"] {
  if (results.length === 0) return [{ text: "no test ran" }];
  return results.flatMap(({ name, failures }) =>
    failures.flatMap((failure) => {
      if (typeof failure === "string") return [{ text: `${name}: ${failure}` }];
      if (!("diagnostics" in failure)) return [{ text: `${name}: ${JSON.stringify(failure)}` }];
      return failure.diagnostics
        .filter(({ severity }) => severity === "error")
        .map(({ code, message }) => ({ code, text: message }));
    }),
  );
}
