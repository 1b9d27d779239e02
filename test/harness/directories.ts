import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { whenEnding } from "./ending.ts";

/** Creates an empty directory outside the source tree and removes it when the process ends. */
export function temporaryDirectory(name = "test"): string {
  const path = mkdtempSync(join(tmpdir(), `sluice-${name}-`));
  // A program in it may have been killed just before.
  whenEnding(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

/** The root of the source tree. */
export const projectRoot = join(import.meta.dirname, "../..");
