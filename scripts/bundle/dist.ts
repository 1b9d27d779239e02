// Builds what `dist/` contains: bundles of the command line and the library, since Node does not run TypeScript inside
// `node_modules`. The packages they depend on are included, except the bundler, which is a program of its own.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { type BuildOptions, build, type Metafile, type Plugin, transform } from "esbuild";
import { type RuntimeContents, requireBanner } from "../../compiler/link/linked-runtime.ts";
import { packageFolders, readPackages, renderLicences } from "../../compiler/link/notices.ts";
import { nodeModulesPatch, packagePatches } from "../../compiler/link/patches/packages.ts";
import { bundlePage } from "../../pages/bundle.ts";
import { bundleWorker } from "../../playground/bundle.ts";
import { precompiledSchemas } from "../precompiled-schemas.ts";
import { commandBanner, dropUnusedBanners } from "./banners.ts";
import { bundledPackages, esbuildPackage, readPostject } from "./bundled-packages.ts";
import { joinChunks } from "./joined-chunks.ts";
import { olderNodes } from "./older-nodes.ts";
import { findRuntimeEntries } from "./runtime-entries.ts";
import { swaggerParserPatch } from "./swagger-parser.ts";

const root = join(import.meta.dirname, "../..");

/**
 * Modules that look for files relative to where they run, instead of their source, because those files are bundled,
 * too.
 */
const placedByBundle: ReadonlySet<string> = new Set(
  [
    "compiler/evaluate/runtime-modules.ts",
    "management/compiling/worker-file.ts",
    "pages/files.ts",
    "playground/files.ts",
  ].map((file) => join(root, file)),
);

/**
 * Lets a bundled module find the files next to its source (a diagnostic's page, a schema): its
 * `import.meta.dirname` stays the source folder, which the package contains.
 */
const sourcePlaces: Plugin = {
  name: "source-places",
  setup(builder) {
    builder.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      if (!text.includes("import.meta.") || placedByBundle.has(path)) return undefined;
      const place = relative(join(root, "dist"), path).replaceAll("\\", "/");
      const { code } = await transform(text, {
        loader: "ts",
        sourcefile: path,
        sourcemap: "inline",
        define: {
          "import.meta.url": "sourceUrl",
          "import.meta.filename": "sourceFile",
          "import.meta.dirname": "sourceFolder",
        },
        banner: [
          `import { dirname as folderOf } from "node:path";`,
          `import { fileURLToPath as pathOf } from "node:url";`,
          `const sourceUrl = new URL("${place}", import.meta.url).href;`,
          `const sourceFile = pathOf(sourceUrl);`,
          `const sourceFolder = folderOf(sourceFile);`,
        ].join("\n"),
      });
      return { contents: code, loader: "js" };
    });
  },
};

/**
 * Avoids loading modules for commander that no check needs: `node:process`, whose import reads all properties of
 * `process`, and `node:child_process`.
 */
const builtinsWhenUsed: Plugin = {
  name: "builtins-when-used",
  setup(builder) {
    builder.onResolve({ filter: /^node:(?:child_process|process)$/ }, ({ path, importer }) =>
      importer.includes("commander") ? { path, namespace: "when-used" } : undefined,
    );
    builder.onLoad({ filter: /.*/, namespace: "when-used" }, ({ path }) => ({
      contents:
        path === "node:process"
          ? "module.exports = globalThis.process;"
          : `module.exports = new Proxy({}, { get: (_, name) => process.getBuiltinModule("${path}")[name] });`,
    }));
  },
};

/** Requires `node:http` instead of importing it, because its import loads the most other modules. */
const nodeHttp = nodeModulesPatch(/^node:http$/);

/** Returns `sha256-` and the hexadecimal digest of the names and contents of all files below a folder. */
function digestOfFolder(folder: string): string {
  const hash = createHash("sha256");
  for (const file of globSync("**/*.js", { cwd: folder }).sort()) {
    const bytes = readFileSync(join(folder, file));
    hash.update(`${file.replaceAll("\\", "/")} ${bytes.length}\n`).update(bytes);
  }
  return `sha256-${hash.digest("hex")}`;
}

/** A tenth larger than the best Brotli quality, in a twentieth of the time. */
const compression = { [constants.BROTLI_PARAM_QUALITY]: 9 };

/** Compresses files below a folder. */
function writePacked(folder: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, `${path}.br`);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, brotliCompressSync(content, { params: compression }));
  }
}

/** Returns the packages contained in the modules of the runtime bundled into `folder`, which becomes `dist/`. */
async function contentsOf({ inputs, outputs }: Metafile, folder: string): Promise<RuntimeContents> {
  const foldersOf = (paths: readonly string[]) => packageFolders(paths).filter((folder) => folder !== ".");
  const folders = foldersOf(Object.keys(inputs));
  const modules = Object.entries(outputs).flatMap(([path, output]) => {
    const inside = Object.entries(output.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
    const places = foldersOf(inside.map(([input]) => input)).map((folder) => folders.indexOf(folder));
    const module = `dist/${relative(folder, join(root, path)).replaceAll("\\", "/")}`;
    return places.length === 0 ? [] : [[module, places] as const];
  });
  return { packages: await readPackages(root, folders), modules: Object.fromEntries(modules) };
}

/** Removes the output of modules that contain only types: nothing imports them at run time. */
function dropTypes({ outputs }: Metafile): void {
  for (const [path, { entryPoint, exports, imports, inputs }] of Object.entries(outputs)) {
    const isEmpty = Object.values(inputs).every(({ bytesInOutput }) => bytesInOutput === 0);
    if (entryPoint === undefined || exports.length > 0 || imports.length > 0 || !isEmpty) continue;
    rmSync(join(root, path));
    delete outputs[path];
  }
}

/** What the bundles of `dist/` have in common. The command line starts on Node 20; gateways need a newer version. */
const shared = {
  absWorkingDir: root,
  bundle: true,
  // Lazily imported modules stay files of their own, so that `check` does not load what `build` needs.
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  banner: { js: requireBanner },
  minifyWhitespace: true,
  minifySyntax: true,
  metafile: true,
  legalComments: "none",
  logLevel: "warning",
} as const satisfies BuildOptions;

/** Bundles the command line, the library and the compiler of the management service. Returns the modules in them. */
async function bundleCommands(folder: string): Promise<readonly string[]> {
  const first = await build({
    ...shared,
    entryPoints: {
      cli: "cli/main.ts",
      index: "compiler/index.ts",
      "management-worker": "management/compiling/worker.ts",
      "older-node": "compiler/older-node.ts",
    },
    banner: {},
    outdir: folder,
    write: false,
    sourcemap: "inline",
    sourcesContent: false,
    plugins: [
      bundledPackages,
      builtinsWhenUsed,
      olderNodes,
      precompiledSchemas,
      swaggerParserPatch(),
      ...packagePatches(),
      nodeHttp,
      sourcePlaces,
    ],
  });
  const starts = ["cli", "index", "management-worker"];
  const joined = await joinChunks(first, {
    ...shared,
    entryPoints: [...starts, "older-node"].map((name) => `./${name}.js`),
    banner: { js: commandBanner },
    outdir: folder,
    sourcemap: true,
    sourcesContent: false,
  });
  dropUnusedBanners(
    joined,
    root,
    starts.map((name) => join(folder, `${name}.js`)),
  );
  return Object.keys(first.metafile.inputs);
}

/**
 * Bundles the runtime for modules of a deployment and for compiled mappings in this process: every module that they import
 * under its own name, shared code in chunks, with packages and their patches included.
 */
async function bundleRuntime(folder: string): Promise<Metafile> {
  const { metafile } = await build({
    ...shared,
    entryPoints: [
      ...findRuntimeEntries(root).map((path) => ({
        in: path,
        out: path.replace(/^runtime\/(.*)\.ts$/, "$1"),
      })),
      // The modules that component packages import use the same copy.
      { in: "component/component.ts", out: "package/component" },
      { in: "component/contract.ts", out: "package/contract" },
    ],
    outdir: join(folder, "runtime"),
    chunkNames: "chunks/[hash]",
    plugins: [olderNodes, ...packagePatches(), nodeHttp],
  });
  dropTypes(metafile);
  dropUnusedBanners(metafile, root, []);
  // Modules of deployments name this digest as the runtime they were compiled for.
  const digest = digestOfFolder(join(folder, "runtime"));
  writeFileSync(join(folder, "runtime-digest.json"), `${JSON.stringify({ digest })}\n`);
  return metafile;
}

/** Writes the pages that this package serves, compressed to a quarter of their size. Returns the modules in them. */
async function bundlePages(folder: string): Promise<readonly string[]> {
  const pages = { management: await bundlePage("management"), play: await bundlePage("play") };
  const worker = await bundleWorker();
  const later = new Map<string, string>();
  for (const [name, page] of Object.entries(pages)) {
    writePacked(folder, { [`pages/${name}/page.js`]: page.script, [`pages/${name}/page.css`]: page.style });
    for (const [file, script] of page.later) {
      if ((later.get(file) ?? script) !== script) throw new Error(`two pages have a ${file} each`);
      later.set(file, script);
    }
  }
  for (const [file, script] of later) writePacked(folder, { [`pages/later/${file}`]: script });
  writePacked(folder, { "playground/worker.js": worker.script });
  return [...pages.management.modules, ...pages.play.modules, ...worker.modules];
}

/**
 * Builds the contents of `dist/` in a folder next to it: modules find the files of the package relative to where
 * they run.
 */
export async function buildDist(folder: string): Promise<void> {
  // The names of chunks contain a hash, so those of a build that was cut off would stay.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const commands = await bundleCommands(folder);
  const runtime = await bundleRuntime(folder);
  const pages = await bundlePages(folder);

  // The bundler, unchanged: it finds its program in the platform-specific packages of an installation.
  for (const file of esbuildPackage.files) {
    cpSync(join(esbuildPackage.folder, file), join(folder, "esbuild", file));
  }

  writePacked(folder, { "postject.wasm": (await readPostject()).program });

  // Copied code needs its licence notices.
  const copied = [
    ...commands,
    ...Object.keys(runtime.inputs),
    ...pages,
    relative(root, join(esbuildPackage.folder, "package.json")),
  ];
  const licences = renderLicences(await readPackages(root, packageFolders(copied)));
  writeFileSync(join(folder, "third-party-licenses.txt"), `${licences}\n`);
  const contents = await contentsOf(runtime, folder);
  writeFileSync(join(folder, "runtime-packages.json"), `${JSON.stringify(contents)}\n`);

  // The manual page, printed by the new bundle of the command line.
  const manual = execFileSync(process.execPath, [join(folder, "cli.js"), "man"]);
  writeFileSync(join(folder, "sluice.1"), manual);
}
