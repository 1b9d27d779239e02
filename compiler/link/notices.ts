// The licences of what a bundle contains, as the comment at its end: whoever passes a gateway on passes the
// notices on too, which every one of these licences asks for.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Folders of the packages that contribute, from modules named relative to `root`; `.` is the root's own. */
export function packageFolders(paths: Iterable<string>): readonly string[] {
  const folders = new Map([[".", "."]]);
  for (const path of paths) {
    const [folder, name] = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
    if (folder !== undefined && name !== undefined && !folders.has(name)) folders.set(name, folder);
  }
  return [...folders].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, folder]) => folder);
}

/** The licences of packages as a comment. */
export async function createNotices(root: string, folders: readonly string[]): Promise<string> {
  const text = (await readLicences(root, folders)).replaceAll("*/", "* /");
  return `/*! This file contains:\n\n${text}\n*/\n`;
}

/** The licence of each package; each text once, below the packages it is for. */
export async function readLicences(root: string, folders: readonly string[]): Promise<string> {
  const licences = await Promise.all(folders.map((folder) => readLicence(join(root, folder))));
  const sections = [...Map.groupBy(licences, ({ terms }) => terms.replaceAll(/\s+/g, " "))].map(([, alike]) =>
    [...alike.flatMap(({ holders }) => holders), "", alike[0]?.terms ?? ""].join("\n"),
  );
  return sections.join(`\n\n${"-".repeat(40)}\n\n`);
}

interface Licence {
  /** The package's name and its copyright lines. */
  readonly holders: readonly string[];
  /** What the licence says apart from them. */
  readonly terms: string;
}

async function readLicence(folder: string): Promise<Licence> {
  const manifest: unknown = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  // npm installs nothing without a name; a licence that is no text would be older than any package here.
  const { name, license } = { name: "", license: "no licence", ...(manifest as object) };
  const file = (await readdir(folder)).sort().find((each) => /^licen[cs]e/i.test(each));
  const text = file === undefined ? license : await readFile(join(folder, file), "utf8");
  const isCopyright = (line: string) => /^\W*copyright (\(c\)|©|\d)/i.test(line);
  const lines = text.split(/\r?\n/).map((line) => line.trimEnd());
  return {
    holders: [`${name}:`, ...lines.filter(isCopyright).map((line) => `  ${line.trim()}`)],
    terms: lines
      .filter((line) => !isCopyright(line))
      .join("\n")
      .trim()
      .replaceAll(/\n{3,}/g, "\n\n"),
  };
}
