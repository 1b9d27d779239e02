import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A fresh, empty directory outside the tree, removed when the process ends. */
export function temporaryDirectory(name = "test"): string {
  const path = mkdtempSync(join(tmpdir(), `sluice-${name}-`));
  process.on("exit", () => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** The root of the source tree. */
export const projectRoot = join(import.meta.dirname, "../..");
