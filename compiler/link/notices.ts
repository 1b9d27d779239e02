// The licences of the packages in a bundle. They are a comment at its end, so that every copy of the gateway contains
// the notices that these licences require.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** A package with parts in a bundle. */
export interface ContainedPackage {
  readonly name: string;
  readonly version: string;
  /** The licence as the package names it, usually an SPDX expression such as `MIT`. */
  readonly licence: string;
  /** Its copyright lines. */
  readonly holders: readonly string[];
  /** The text of the licence without these lines. */
  readonly terms: string;
}

/**
 * Returns the folders of packages that contribute modules (named relative to `root`); `.` is the folder of the root
 * itself.
 */
export function packageFolders(paths: Iterable<string>): readonly string[] {
  const folders = new Map([[".", "."]]);
  for (const path of paths) {
    const [folder, name] = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
    if (folder !== undefined && name !== undefined && !folders.has(name)) folders.set(name, folder);
  }
  return [...folders].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, folder]) => folder);
}

/** Reads the manifests and licences of packages. */
export function readPackages(root: string, folders: readonly string[]): Promise<readonly ContainedPackage[]> {
  return Promise.all(folders.map((folder) => readPackage(join(root, folder))));
}

/** Returns the licences of packages as a comment. */
export function createNotices(packages: readonly ContainedPackage[]): string {
  return `/*! This file contains:\n\n${renderLicences(packages).replaceAll("*/", "* /")}\n*/\n`;
}

/** Returns the licence of each package; each text once, below the names of its packages. */
export function renderLicences(packages: readonly ContainedPackage[]): string {
  const sections = [...Map.groupBy(packages, ({ terms }) => terms.replaceAll(/\s+/g, " "))].map(([, alike]) =>
    [
      ...alike.flatMap(({ name, holders }) => [`${name}:`, ...holders.map((line) => `  ${line}`)]),
      "",
      alike[0]?.terms ?? "",
    ].join("\n"),
  );
  return sections.join(`\n\n${"-".repeat(40)}\n\n`);
}

async function readPackage(folder: string): Promise<ContainedPackage> {
  const manifest: unknown = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  // npm installs no package without a name; a licence that is not text occurs only in packages older than any used
  // here.
  const { name, version, license } = {
    name: "",
    version: "",
    license: "no licence",
    ...(manifest as object),
  };
  const file = (await readdir(folder)).sort().find((each) => /^licen[cs]e/i.test(each));
  const text = file === undefined ? license : await readFile(join(folder, file), "utf8");
  const isCopyright = (line: string) => /^\W*copyright (\(c\)|©|\d)/i.test(line);
  const lines = text.split(/\r?\n/).map((line) => line.trimEnd());
  return {
    name,
    version,
    licence: license,
    holders: lines.filter(isCopyright).map((line) => line.trim()),
    terms: lines
      .filter((line) => !isCopyright(line))
      .join("\n")
      .trim()
      .replaceAll(/\n{3,}/g, "\n\n"),
  };
}
