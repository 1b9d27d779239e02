// The command as users install it.

import { cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { projectRoot, temporaryDirectory } from "../test/harness/directories.ts";

/** Returns the path of the command without the sources: that of a clone first compares the times of all sources. */
export function installCommand(): string {
  const folder = temporaryDirectory("installed");
  for (const name of ["bin", "package.json"])
    cpSync(join(projectRoot, name), join(folder, name), { recursive: true });
  symlinkSync(join(projectRoot, "dist"), join(folder, "dist"), "junction");
  return join(folder, "bin/sluice.js");
}
