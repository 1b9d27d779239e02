// Determines the dialect for commands that take no documents.

import { existsSync } from "node:fs";
import { readDialect } from "../compile.ts";
import { coreDialect, type Dialect } from "../trees/dialect.ts";
import type { SetOption } from "./command-options.ts";
import { formatDiagnostics, withLineBreak } from "./diagnostics.ts";
import { useColor } from "./terminal.ts";

/** Returns the dialect of the set; `undefined` after printing the errors of the set. */
export async function dialectOf({ set }: SetOption): Promise<Dialect | undefined> {
  const file = set ?? ["gateway.yaml", "gateway.yml", "gateway.json"].find((name) => existsSync(name));
  if (file === undefined) return coreDialect;
  const { dialect, diagnostics, suppressed, counts } = await readDialect(file.replaceAll("\\", "/"));
  if (counts.error === 0) return dialect;
  const text = await formatDiagnostics(diagnostics, "pretty", useColor(process.stderr), suppressed);
  process.stderr.write(withLineBreak(text));
  return undefined;
}
