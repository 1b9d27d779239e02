// Names of modules as a bundle shows them, in comments, wrappers and the source map: the same wherever the
// package and its dependencies are installed.

import { relative, resolve, sep } from "node:path";
import { emittedNamespace, type LinkedPackage } from "./emitted-modules.ts";

/**
 * `../.pnpm/ws@8/node_modules/ws/index.js` is `node_modules/ws/index.js`, emitted text is `gateway.ts`, and modules of a
 * package with components begin with its name. `path` is relative to `root`.
 */
export function portableName(path: string, root: string, packages: readonly LinkedPackage[]): string {
  const absolute = resolve(root, path);
  const home = packages.find(({ folder }) => absolute.startsWith(`${folder}${sep}`));
  const below = home && relative(home.folder, absolute).replaceAll("\\", "/");
  if (below !== undefined && !below.includes("node_modules/")) return `${home?.name}/${below}`;
  const emitted = `${emittedNamespace}:`;
  if (path.startsWith(emitted)) return path.slice(emitted.length);
  const folder = "node_modules/";
  const at = path.lastIndexOf(folder);
  return at < 0 ? path : path.slice(at);
}

/** Renames modules where esbuild names them: comments above modules, and keys of wrapped CommonJS. */
export function renameInCode(
  code: string,
  paths: ReadonlySet<string>,
  nameOf: (path: string) => string,
): string {
  // Whole lines, and only names that esbuild says it used: text of documents is never touched.
  return code.replace(/^(\/\/ | {2}")(.+?)("\(.*)?$/gm, (line, before: string, path: string, after = "") =>
    paths.has(path) ? `${before}${nameOf(path)}${after}` : line,
  );
}

/**
 * Renames the sources of a source map, whose names are relative to the map, and hides secrets in those that are emitted
 * text.
 */
export function renameInMap(
  text: string,
  nameOf: (path: string) => string,
  hideSecrets = (source: string) => source,
): string {
  const map: { sources: string[]; sourcesContent: string[] } = JSON.parse(text);
  const sourcesContent = map.sourcesContent.map((content, at) =>
    map.sources[at]?.startsWith(emittedNamespace) ? hideSecrets(content) : content,
  );
  return `${JSON.stringify({ ...map, sources: map.sources.map(nameOf), sourcesContent })}\n`;
}
