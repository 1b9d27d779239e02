// The packages in a bundle and their licences. They stand as a comment at its end, so that every copy of the
// gateway has the notices, as each of these licences asks for.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** A package, parts of which are in a bundle. */
export interface ContainedPackage {
  readonly name: string;
  readonly version: string;
  /** As the package names it, mostly an SPDX expression such as `MIT`. */
  readonly licence: string;
  /** Its copyright lines. */
  readonly holders: readonly string[];
  /** What the licence says apart from them. */
  readonly terms: string;
}

/** Folders of the packages that contribute, from modules named relative to `root`; `.` is the root's own. */
export function packageFolders(paths: Iterable<string>): readonly string[] {
  const folders = new Map([[".", "."]]);
  for (const path of paths) {
    const [folder, name] = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
    if (folder !== undefined && name !== undefined && !folders.has(name)) folders.set(name, folder);
  }
  return [...folders].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, folder]) => folder);
}

/** Reads what packages say of themselves. */
export function readPackages(root: string, folders: readonly string[]): Promise<readonly ContainedPackage[]> {
  return Promise.all(folders.map((folder) => readPackage(join(root, folder))));
}

/** The licences of packages as a comment. */
export function createNotices(packages: readonly ContainedPackage[]): string {
  return `/*! This file contains:\n\n${renderLicences(packages).replaceAll("*/", "* /")}\n*/\n`;
}

/** The licence of each package; each text once, below the packages it is for. */
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
  // npm installs nothing without a name; a licence that is not text would be older than any package here.
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
