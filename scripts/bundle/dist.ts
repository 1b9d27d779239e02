// What is in `dist/`: the command line and the library in bundles, since Node reads no TypeScript inside `node_modules`.
// The packages they depend on are inside; the bundler alone is a program of its own.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { build, type Metafile, type Plugin, transform } from "esbuild";
import { type RuntimeContents, requireBanner } from "../../compiler/link/linked-runtime.ts";
import { packageFolders, readPackages, renderLicences } from "../../compiler/link/notices.ts";
import { nodeModulesPatch, packagePatches } from "../../compiler/link/patches/packages.ts";
import { bundlePage } from "../../pages/bundle.ts";
import { bundleWorker } from "../../playground/bundle.ts";
import { precompiledSchemas } from "../precompiled-schemas.ts";
import { bundledPackages, esbuildPackage } from "./bundled-packages.ts";
import { olderNodes } from "./older-nodes.ts";

const root = join(import.meta.dirname, "../..");

/** Modules that ask where they run, not where they were written: what they look for is bundled, too. */
const placedByBundle: ReadonlySet<string> = new Set(
  [
    "compiler/evaluate/runtime-modules.ts",
    "management/compiling/worker-file.ts",
    "pages/files.ts",
    "playground/files.ts",
  ].map((file) => join(root, file)),
);

/**
 * Lets a module find the files beside its source (a diagnostic's page, a schema) from the bundle: what it
 * reads as `import.meta.dirname` stays the folder it was written in, which the package carries.
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

/** Keeps from loading what no check needs: a module that reads all of `process`, and that for other processes. */
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

/** The one that loads most for an import; each that is required is a file of its own. */
const nodeHttp = nodeModulesPatch(/^node:http$/);

/** `sha256-` and the hex digest of all files below a folder, by their names and bytes. */
function digestOfFolder(folder: string): string {
  const hash = createHash("sha256");
  for (const file of globSync("**/*.js", { cwd: folder }).sort()) {
    const bytes = readFileSync(join(folder, file));
    hash.update(`${file.replaceAll("\\", "/")} ${bytes.length}\n`).update(bytes);
  }
  return `sha256-${hash.digest("hex")}`;
}

/** A tenth larger than the most that Brotli gives, in a twentieth of the time. */
const compression = { [constants.BROTLI_PARAM_QUALITY]: 9 };

/** Compresses files below `dist/`. */
function writePacked(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, "dist", `${path}.br`);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, brotliCompressSync(text, { params: compression }));
  }
}

/** Which packages are in which modules of the bundled runtime. */
async function contentsOf({ inputs, outputs }: Metafile): Promise<RuntimeContents> {
  const folders = packageFolders(Object.keys(inputs));
  const modules = Object.entries(outputs).map(([path, output]) => {
    const inside = Object.entries(output.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
    return [path, packageFolders(inside.map(([input]) => input)).map((folder) => folders.indexOf(folder))];
  });
  return { packages: await readPackages(root, folders), modules: Object.fromEntries(modules) };
}

/** Removes what modules that hold types alone became: nothing imports them when it runs. */
function dropTypes({ outputs }: Metafile): void {
  for (const [path, { entryPoint, exports, imports, inputs }] of Object.entries(outputs)) {
    const isEmpty = Object.values(inputs).every(({ bytesInOutput }) => bytesInOutput === 0);
    if (entryPoint === undefined || exports.length > 0 || imports.length > 0 || !isEmpty) continue;
    rmSync(join(root, path));
    delete outputs[path];
  }
}

/** Writes `dist/` anew. */
export async function buildDist(): Promise<void> {
  // Chunks carry a hash in their name, so old ones would pile up.
  rmSync(join(root, "dist"), { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      cli: "cli/main.ts",
      index: "compiler/index.ts",
      "management-worker": "management/compiling/worker.ts",
    },
    outdir: "dist",
    bundle: true,
    // What is imported lazily stays a file of its own, so that `check` does not load what `build` needs.
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    banner: { js: requireBanner },
    sourcemap: true,
    sourcesContent: false,
    minifyWhitespace: true,
    minifySyntax: true,
    metafile: true,
    legalComments: "none",
    logLevel: "warning",
    plugins: [
      bundledPackages,
      builtinsWhenUsed,
      olderNodes,
      precompiledSchemas,
      ...packagePatches(),
      nodeHttp,
      sourcePlaces,
    ],
  });

  // What modules of a deployment and compiled mappings run on in this process: every module of the runtime under its own
  // name, what several of them share in chunks, packages and their patches inside.
  const runtimeFolder = join(root, "dist/runtime");
  const runtime = await build({
    absWorkingDir: root,
    entryPoints: [
      ...globSync("runtime/**/*.ts", { cwd: root })
        .sort()
        .map((path) => ({ in: path, out: path.replace(/^runtime\/(.*)\.ts$/, "$1") })),
      // What packages of components import runs on the same copy.
      { in: "component/component.ts", out: "package/component" },
      { in: "component/contract.ts", out: "package/contract" },
    ],
    outdir: "dist/runtime",
    chunkNames: "chunks/[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    // What the command line loads of it runs on Node 20; gateways need a newer one.
    target: "node20",
    banner: { js: requireBanner },
    minifyWhitespace: true,
    minifySyntax: true,
    metafile: true,
    legalComments: "none",
    logLevel: "warning",
    plugins: [olderNodes, ...packagePatches(), nodeHttp],
  });
  dropTypes(runtime.metafile);
  // Modules say by this which runtime they were compiled against.
  writeFileSync(
    join(root, "dist/runtime-digest.json"),
    `${JSON.stringify({ digest: digestOfFolder(runtimeFolder) })}\n`,
  );

  // The pages that this package serves, compressed: a quarter of what they are.
  const pages = { management: await bundlePage("management"), play: await bundlePage("play") };
  const worker = await bundleWorker();
  const later = new Map<string, string>();
  for (const [name, page] of Object.entries(pages)) {
    writePacked({ [`pages/${name}/page.js`]: page.script, [`pages/${name}/page.css`]: page.style });
    for (const [file, script] of page.later) {
      if ((later.get(file) ?? script) !== script) throw new Error(`two pages have a ${file} each`);
      later.set(file, script);
    }
  }
  for (const [file, script] of later) writePacked({ [`pages/later/${file}`]: script });
  writePacked({ "playground/worker.js": worker.script });

  // The bundler, as it is: it finds its program in the packages for platforms that an installation brings.
  for (const file of esbuildPackage.files) {
    cpSync(join(esbuildPackage.folder, file), join(root, "dist/esbuild", file));
  }

  // What is copied has to say whose it is.
  const copied = [
    ...Object.keys(metafile.inputs),
    ...Object.keys(runtime.metafile.inputs),
    ...pages.management.modules,
    ...pages.play.modules,
    ...worker.modules,
    relative(root, join(esbuildPackage.folder, "package.json")),
  ];
  writeFileSync(
    join(root, "dist/third-party-licenses.txt"),
    `${renderLicences(await readPackages(root, packageFolders(copied)))}\n`,
  );
  writeFileSync(
    join(root, "dist/runtime-packages.json"),
    `${JSON.stringify(await contentsOf(runtime.metafile))}\n`,
  );

  // The manual page, by the command line as it was just bundled.
  writeFileSync(
    join(root, "dist/sluice.1"),
    execFileSync(process.execPath, [join(root, "dist/cli.js"), "man"]),
  );
}
