import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const temporary: string[] = [];

function removeTemporary(): void {
  for (const path of temporary) rmSync(path, { recursive: true, force: true });
}

/** Creates an empty directory outside the source tree and removes it when the process exits. */
export function temporaryDirectory(name = "test"): string {
  const path = mkdtempSync(join(tmpdir(), `sluice-${name}-`));
  if (temporary.length === 0) process.on("exit", removeTemporary);
  temporary.push(path);
  return path;
}

/** The root of the source tree. */
export const projectRoot = join(import.meta.dirname, "../..");
