// Links emitted text to one ESM file: the gateway with the runtime modules and packages that it uses, and nothing else.
// Names of modules in comments, wrappers and the source map do not depend on where the package and its dependencies are
// installed.

import { relative, resolve, sep } from "node:path";
import { build, type Message, type Metafile, type OutputFile } from "esbuild";
import { InternalError } from "../diagnostics/invariant.ts";
import type { EmittedGateway } from "../emit/gateway.ts";
import { emittedModules, emittedNamespace, type LinkedPackage } from "./emitted-modules.ts";
import { findLinkedRuntime, requireBanner } from "./linked-runtime.ts";
import { type ContainedPackage, createNotices } from "./notices.ts";
import { nodeModulesPatch, packagePatches } from "./patches/packages.ts";

export interface LinkOptions {
  /** The folder of the installation, or of a clone. */
  readonly packageRoot: string;
  /** Whether to shorten the bundle; the readable `gateway.ts` is kept either way. */
  readonly minify?: boolean;
  /** Returns the JSON of emitted text for the source map, where the secrets of documents are removed from it. */
  readonly quoteSource?: (text: string) => string;
  /**
   * Work of this thread while esbuild works. It begins when esbuild has read the emitted text, which takes many turns of
   * the event loop.
   */
  readonly meanwhile?: () => Promise<void>;
  /** The packages that provide components, whose modules the emitted text imports by name. */
  readonly packages?: readonly LinkedPackage[];
}

/** A linked gateway. */
export interface LinkedGateway {
  /** `gateway.mjs`, which needs only Node. */
  readonly code: string;
  /** `gateway.mjs.map`, with the sources inside. */
  readonly map: string;
  /** Bytes that each module contributes, by name: `runtime/gateway.ts`, `node_modules/ws/index.js`, `gateway.ts`. */
  readonly modules: ReadonlyMap<string, number>;
  /** The packages in the bundle; the first is the compiler. */
  readonly packages: readonly ContainedPackage[];
}

/** The oldest Node that runs gateways, as esbuild names it. */
export const oldestTarget = "node22";

/**
 * Bundles an emitted gateway. Run as a program (`node gateway.mjs`), the result serves; imported, it opens nothing and
 * exports the definition. The same text and packages result in the same bytes, wherever they are installed.
 */
export async function linkGateway(emitted: EmittedGateway, options: LinkOptions): Promise<LinkedGateway> {
  const { packages = [] } = options;
  const runtime = findLinkedRuntime(options.packageRoot);
  const nameOf = (path: string) => portableName(path, options.packageRoot, packages);
  const { promise: hasRead, resolve: onRead } = Promise.withResolvers<void>();
  const linking = build({
    absWorkingDir: options.packageRoot,
    entryPoints: ["sluice-emitted/main.ts"],
    outfile: "gateway.mjs",
    write: false,
    bundle: true,
    format: "esm",
    platform: "node",
    target: oldestTarget,
    banner: { js: requireBanner },
    sourcemap: "linked",
    metafile: true,
    legalComments: "none",
    minify: options.minify ?? false,
    logLevel: "silent",
    plugins: [
      emittedModules(emitted, runtime, options.packageRoot, packages, onRead),
      ...runtime.plugins,
      ...packagePatches(),
      nodeModulesPatch(),
    ],
  })
    .catch(failToLink)
    .finally(onRead);
  const [result] = await Promise.all([linking, hasRead.then(options.meanwhile)]);
  const paths = new Set(Object.keys(result.metafile.inputs));
  const contained = await runtime.packagesIn(contributions(result.metafile).keys());
  return {
    code: withNotices(
      renameInCode(textOf(result.outputFiles, ".mjs"), paths, nameOf),
      createNotices(contained),
    ),
    map: renameInMap(textOf(result.outputFiles, ".map"), nameOf, options.quoteSource),
    packages: contained,
    modules: new Map([...contributions(result.metafile)].map(([path, bytes]) => [nameOf(path), bytes])),
  };
}

/** Links the same gateway as a CommonJS program that serves when it runs: the content of a Node executable. */
export async function linkProgram(emitted: EmittedGateway, options: LinkOptions): Promise<string> {
  const { packages = [], packageRoot } = options;
  const runtime = findLinkedRuntime(packageRoot);
  const result = await build({
    absWorkingDir: packageRoot,
    entryPoints: ["sluice-emitted/executable.ts"],
    outfile: "gateway.cjs",
    write: false,
    bundle: true,
    format: "cjs",
    platform: "node",
    target: oldestTarget,
    define: { "import.meta.url": "programUrl" },
    banner: { js: `const programUrl = require("node:url").pathToFileURL(process.execPath).href;` },
    metafile: true,
    legalComments: "none",
    minify: options.minify ?? false,
    logLevel: "silent",
    plugins: [
      emittedModules(emitted, runtime, packageRoot, packages),
      ...runtime.plugins,
      ...packagePatches(),
      nodeModulesPatch(),
    ],
  }).catch(failToLink);
  return (
    textOf(result.outputFiles, ".cjs") +
    createNotices(await runtime.packagesIn(contributions(result.metafile).keys()))
  );
}

/** Inserts the notices before the line that names the source map, which tools look for at the end. */
function withNotices(code: string, notices: string): string {
  const end = code.lastIndexOf("//# sourceMappingURL=");
  return code.slice(0, end) + notices + code.slice(end);
}

function textOf(files: readonly OutputFile[], ending: string): string {
  return files.find((file) => file.path.endsWith(ending))?.text ?? "";
}

function contributions(metafile: Metafile): ReadonlyMap<string, number> {
  const output = Object.values(metafile.outputs).find((candidate) => candidate.entryPoint !== undefined);
  return new Map(
    Object.entries(output?.inputs ?? {})
      .filter(([, input]) => input.bytesInOutput > 0)
      .map(([path, input]) => [path, input.bytesInOutput]),
  );
}

/**
 * Returns `node_modules/ws/index.js` for `../.pnpm/ws@8/node_modules/ws/index.js`, and `gateway.ts` for emitted text.
 * Modules of a package with components begin with its name. `path` is relative to `root`.
 */
function portableName(path: string, root: string, packages: readonly LinkedPackage[]): string {
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

/** Renames modules where esbuild writes them: in comments above modules, and in keys of wrapped CommonJS. */
function renameInCode(code: string, paths: ReadonlySet<string>, nameOf: (path: string) => string): string {
  // Only whole lines, and only names that esbuild reports: text of documents is never changed.
  return code.replace(/^(\/\/ | {2}")(.+?)("\(.*)?$/gm, (line, before: string, path: string, after = "") =>
    paths.has(path) ? `${before}${nameOf(path)}${after}` : line,
  );
}

/** Renames the sources of a source map, whose names are relative to the map, and writes emitted text by `quote`. */
function renameInMap(
  text: string,
  nameOf: (path: string) => string,
  quote: (source: string) => string = JSON.stringify,
): string {
  const map: { sources: string[]; sourcesContent: string[] } = JSON.parse(text);
  const contents = map.sourcesContent.map((content, at) =>
    map.sources[at]?.startsWith(emittedNamespace) ? quote(content) : JSON.stringify(content),
  );
  const written = { sources: JSON.stringify(map.sources.map(nameOf)), sourcesContent: `[${contents}]` };
  const entries = Object.entries({ ...map, ...written }).map(([key, value]) =>
    key in written ? `"${key}":${value}` : `"${key}":${JSON.stringify(value)}`,
  );
  return `{${entries}}\n`;
}

/** Throws an `InternalError` for an esbuild error: it links emitted text, so the user has made no mistake. */
export function failToLink(error: unknown): never {
  throw new InternalError(`the emitted gateway does not link: ${describeFailure(error)}`, { cause: error });
}

function describeFailure(error: unknown): string {
  const errors = typeof error === "object" && error !== null && "errors" in error ? error.errors : undefined;
  if (!Array.isArray(errors)) return String(error);
  return errors
    .map((message: Message) => `${message.location?.file ?? ""} ${message.text}`.trim())
    .join("\n");
}
