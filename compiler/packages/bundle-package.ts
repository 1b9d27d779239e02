// Bundles modules of a package with their imports to a text that this process can run. `sluice/component` stays
// external, so that there is only one copy of it. TypeScript is accepted even inside `node_modules`, where Node does
// not read it.

import { posix } from "node:path";
import type { BuildOptions, Loader, Message, Plugin } from "esbuild";
import type { FileSystem } from "../parse/document/file-system.ts";
import { type FoundPackage, fileLimit } from "./package-files.ts";

/** The API of components, which the compiler provides to the packages that it runs. */
export const componentApi = "sluice/component";

const namespace = "component-package";

/** The name of the first module of a script; no file has this name. */
const entryName = "(entry)";

/** A bundled module, with the names that it exports. */
export interface BundledModule {
  readonly code: string;
  readonly exports: readonly string[];
  /** The names that it imports from `sluice/component`. */
  readonly imports: readonly string[];
}

/** The first error that prevents bundling, with its file. */
export class BundleError extends Error {
  override readonly name = "BundleError";
  /** Whether the module itself does not exist. */
  readonly isMissing: boolean;

  constructor(message: string, isMissing: boolean) {
    super(message);
    this.isMissing = isMissing;
  }
}

/** Bundles a module of the package (its path below the folder) as a script of `require`, `module` and `exports`. */
export async function bundleScript(
  { folder, realFolder }: FoundPackage,
  contents: string,
  fileSystem: FileSystem,
): Promise<string> {
  const files = { folder, realFolder, fileSystem, entry: contents };
  const { code } = await bundle({ entryPoints: [`${folder}/${entryName}`], format: "cjs" }, files);
  return code;
}

/** Bundles a module of the package as an ES module, to find its exports and to distinguish its versions. */
export function bundleModule(
  { folder, realFolder }: FoundPackage,
  module: string,
  fileSystem: FileSystem,
): Promise<BundledModule> {
  const entryPoints = [posix.join(folder, module)];
  return bundle({ entryPoints, format: "esm" }, { folder, realFolder, fileSystem });
}

async function bundle(
  given: Pick<BuildOptions, "entryPoints" | "format">,
  files: PackageFiles,
): Promise<BundledModule> {
  // Imported lazily: checking a set without packages needs no bundler.
  const { build } = await import("esbuild");
  const options = {
    ...given,
    ...{ write: false, bundle: true, metafile: true, outfile: "module.js" },
    // Without comments, which name folders, the text of a package does not depend on its location.
    ...{ minifyWhitespace: true, legalComments: "none" },
    ...{ platform: "node", target: "node22", logLevel: "silent" },
    external: [componentApi],
    plugins: [packageFiles(files)],
  } as const satisfies BuildOptions;
  try {
    const { outputFiles, metafile } = await build(options);
    const [output] = Object.values(metafile.outputs);
    const code = outputFiles[0]?.text ?? "";
    return { code, exports: output?.exports ?? [], imports: importedNames(code) };
  } catch (error) {
    throw bundleError(error);
  }
}

/** Returns the names in `import { pause as wait } from "sluice/component"`, which the bundler prints on one line. */
function importedNames(code: string): readonly string[] {
  const imports = code.matchAll(/^import\{([^}]*)\}from"sluice\/component";/gm);
  return [...imports].flatMap(([, names = ""]) =>
    names.split(",").map((each) => each.split(" as ", 1)[0]?.trim() ?? ""),
  );
}

function bundleError(error: unknown): BundleError {
  const errors = typeof error === "object" && error !== null && "errors" in error ? error.errors : undefined;
  const [first]: readonly Message[] = Array.isArray(errors) ? errors : [];
  if (first === undefined) return new BundleError(String(error), false);
  const { location, text } = first;
  const message = text.replaceAll(`${namespace}:`, "");
  const place = location?.file.replace(`${namespace}:`, "");
  const isInside = place !== undefined && !place.endsWith(entryName) && location?.line !== undefined;
  return new BundleError(isInside ? `${place}:${location?.line}: ${message}` : message, !isInside);
}

/** The files of a package. */
interface PackageFiles {
  readonly folder: string;
  readonly realFolder: string;
  readonly fileSystem: FileSystem;
  /** The text of the first module of a script. */
  readonly entry?: string;
}

const loaders: Readonly<Record<string, Loader>> = {
  ".ts": "ts",
  ".mts": "ts",
  ".js": "js",
  ".mjs": "js",
  ".cjs": "js",
  ".json": "json",
};

/** Reads the package's own files from the file system of the documents; its dependencies are resolved as usual. */
function packageFiles({ folder, realFolder, fileSystem, entry }: PackageFiles): Plugin {
  return {
    name: "component-package",
    setup(builder) {
      builder.onResolve({ filter: /.*/ }, ({ path, importer, namespace: from, kind }) => {
        if (kind === "entry-point") return { path, namespace };
        if (!/^\.{1,2}\//.test(path) || from !== namespace) return undefined;
        return { path: posix.join(posix.dirname(importer), path), namespace };
      });
      builder.onLoad({ filter: /.*/, namespace }, async ({ path }) => {
        const loader = loaders[posix.extname(path)] ?? "ts";
        // Other imports of the module are resolved from its real folder.
        const resolveDir = posix.dirname(realFolder + path.slice(folder.length));
        if (entry !== undefined && path === `${folder}/${entryName}`)
          return { contents: entry, loader: "js", resolveDir };
        try {
          const bytes = await fileSystem.readFile(path, fileLimit);
          return { contents: bytes, loader, resolveDir };
        } catch {
          return { errors: [{ text: `${path} cannot be read`, location: null }] };
        }
      });
    },
  };
}
