// Finds the `sluice` that the editor runs: that of the project, so that editor and build agree, otherwise the bundled
// one.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** An installation of `sluice`. */
export interface Sluice {
  /** The script to run with Node. */
  readonly script: string;
  readonly version: string;
  readonly origin: "settings" | "project" | "extension";
}

/** The locations to search. */
export interface Places {
  /** The folder in the setting `sluice.path`; empty if it is not set. */
  readonly configured: string;
  /** The folder from which to search upwards; absent without a workspace. */
  readonly folder?: string;
  /** Whether code of the workspace may run. */
  readonly isTrusted: boolean;
  /** The folder of the package bundled with the extension. */
  readonly bundled: string;
}

/** Finds the `sluice` to run. Throws if the setting names a folder without one. */
export function findSluice({ configured, folder, isTrusted, bundled }: Places): Sluice {
  if (configured !== "" && isTrusted) {
    const found = sluiceIn(configured, "settings");
    if (found === undefined) throw new Error(`sluice.path: there is no package sluice in ${configured}`);
    return found;
  }
  for (let at = isTrusted ? folder : undefined; at !== undefined; at = parentOf(at)) {
    // The second one is a clone of the project itself.
    const found = sluiceIn(join(at, "node_modules/sluice"), "project") ?? sluiceIn(at, "project");
    if (found !== undefined) return found;
  }
  const found = sluiceIn(bundled, "extension");
  if (found === undefined) throw new Error(`the extension is incomplete: there is no sluice in ${bundled}`);
  return found;
}

function parentOf(folder: string): string | undefined {
  const parent = dirname(folder);
  return parent === folder ? undefined : parent;
}

function sluiceIn(folder: string, origin: Sluice["origin"]): Sluice | undefined {
  let manifest: { name?: unknown; version?: unknown; bin?: { sluice?: unknown } };
  try {
    manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  } catch {
    // There is no package, or it is invalid: continue the search.
    return undefined;
  }
  const { name, version, bin } = manifest;
  if (name !== "sluice" || typeof bin?.sluice !== "string") return undefined;
  return { script: join(folder, bin.sluice), version: String(version), origin };
}
