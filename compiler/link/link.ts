// Emitted text in, one ESM file out: the gateway with the runtime modules and packages it uses, nothing else. Names of modules,
// as comments, wrappers and the source map show them, are the same wherever the package and its dependencies are installed.

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
  /** Shortens the bundle; the readable `gateway.ts` is kept either way. */
  readonly minify?: boolean;
  /** Takes the secrets of documents out of what the source map quotes of `gateway.ts`. */
  readonly hideSecrets?: (text: string) => string;
  /** The packages that bring components, whose modules the emitted text imports by their names. */
  readonly packages?: readonly LinkedPackage[];
}

/** A linked gateway. */
export interface LinkedGateway {
  /** `gateway.mjs`: needs Node and nothing else. */
  readonly code: string;
  /** `gateway.mjs.map`, with the sources inside. */
  readonly map: string;
  /** Bytes each module contributes, by its name: `runtime/gateway.ts`, `node_modules/ws/index.js`, `gateway.ts`. */
  readonly modules: ReadonlyMap<string, number>;
  /** The packages in it; the first is the one that compiled it. */
  readonly packages: readonly ContainedPackage[];
}

/** The oldest Node that gateways run on, as esbuild names it. */
export const oldestTarget = "node22";

/**
 * Bundles an emitted gateway. Run as a program (`node gateway.mjs`) the result serves; imported, it opens
 * nothing and exports the definition. Deterministic: same text and packages, same bytes, wherever they lie.
 */
export async function linkGateway(emitted: EmittedGateway, options: LinkOptions): Promise<LinkedGateway> {
  const { packages = [] } = options;
  const runtime = findLinkedRuntime(options.packageRoot);
  const nameOf = (path: string) => portableName(path, options.packageRoot, packages);
  const result = await build({
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
      emittedModules(emitted, runtime, options.packageRoot, packages),
      ...runtime.plugins,
      ...packagePatches(),
      nodeModulesPatch(),
    ],
  }).catch(failToLink);
  const paths = new Set(Object.keys(result.metafile.inputs));
  const contained = await runtime.packagesIn(contributions(result.metafile).keys());
  return {
    code: withNotices(
      renameInCode(textOf(result.outputFiles, ".mjs"), paths, nameOf),
      createNotices(contained),
    ),
    map: renameInMap(textOf(result.outputFiles, ".map"), nameOf, options.hideSecrets),
    packages: contained,
    modules: new Map([...contributions(result.metafile)].map(([path, bytes]) => [nameOf(path), bytes])),
  };
}

/** The same gateway as a CommonJS program, which serves when it is run: what an executable of Node has inside. */
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

/** Before the line that names the source map, which tools look for at the end. */
function withNotices(code: string, notices: string): string {
  return code.replace(/(?=\/\/# sourceMappingURL=.*\n$)/, () => notices);
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
 * `../.pnpm/ws@8/node_modules/ws/index.js` is `node_modules/ws/index.js`, emitted text is `gateway.ts`, and modules of a
 * package with components begin with its name. `path` is relative to `root`.
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

/** Renames modules where esbuild names them: comments above modules, and keys of wrapped CommonJS. */
function renameInCode(code: string, paths: ReadonlySet<string>, nameOf: (path: string) => string): string {
  // Whole lines, and only names that esbuild says it used: text of documents is never touched.
  return code.replace(/^(\/\/ | {2}")(.+?)("\(.*)?$/gm, (line, before: string, path: string, after = "") =>
    paths.has(path) ? `${before}${nameOf(path)}${after}` : line,
  );
}

/**
 * Renames the sources of a source map, whose names are relative to the map, and hides secrets in those that are emitted
 * text.
 */
function renameInMap(
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

/** Throws an `InternalError` for what esbuild rejected with: it links emitted text, so that no user is at fault. */
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
