// Bundles the worker as one script for browsers: the language server, the compiler, and the modules of the runtime
// that need no network. `node/` contains replacements of Node modules; calling a function that has none throws an
// error.

import { globSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";
import { packagePatches } from "../compiler/link/patches/packages.ts";
import { bundledPackages } from "../scripts/bundle/bundled-packages.ts";
import { swaggerParserPatch } from "../scripts/bundle/swagger-parser.ts";
import { precompiledSchemas } from "../scripts/precompiled-schemas.ts";

const root = join(import.meta.dirname, "..");
const own = (name: string) => join(import.meta.dirname, "node", name);

/** Modules of Node that have a replacement. */
const counterparts: Readonly<Record<string, string>> = {
  buffer: own("buffer.ts"),
  crypto: own("crypto.ts"),
  fs: own("files.ts"),
  "fs/promises": own("files.ts"),
  path: join(root, "node_modules/path-browserify/index.js"),
  url: own("url.ts"),
  zlib: own("zlib.ts"),
};

/** Modules of the runtime to which emitted mappings and processors are linked. */
const linked: readonly string[] = [
  "runtime/errors.ts",
  "runtime/{component,failures,mapping,message,processors,text}/**/*.ts",
  "runtime/process/{environment,log}.ts",
  "runtime/resources/memory-*.ts",
];

/** Modules that open connections. */
const networked = /^runtime\/processors\/(?:http|sql)|\.d\.ts$/;

const namespace = "not-in-browsers";

/** Substitutes modules that differ in browsers. */
const forBrowsers: Plugin = {
  name: "for-browsers",
  setup(builder) {
    const isNode = new Set(builtinModules);
    builder.onResolve({ filter: /^(?:node:)?[a-z_]+(?:\/[a-z_]+)?$/ }, ({ path, importer }) => {
      const name = path.replace(/^node:/, "");
      if (!isNode.has(name) && !path.startsWith("node:")) return undefined;
      if (importer.startsWith(own("")) && !path.startsWith("node:")) return undefined;
      return { path: name, namespace };
    });
    builder.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
      contents: counterpart(path),
      loader: "js",
      resolveDir: root,
    }));
    // The bundler and the TypeScript writer are only needed for builds.
    builder.onResolve(
      { filter: /^(?:esbuild|json-schema-to-typescript|ts-morph|prettier)$/ },
      ({ path }) => ({
        path,
        namespace,
      }),
    );
    builder.onLoad({ filter: /[\\/]compiler[\\/]evaluate[\\/]runtime-modules\.ts$/ }, () => ({
      contents: moduleTable(),
      loader: "js",
      resolveDir: root,
    }));
  },
};

/** Returns the replacement of a Node module: its implemented exports, and functions that throw for all others. */
function counterpart(name: string): string {
  const names = Object.keys((process.getBuiltinModule(name) as object | undefined) ?? {});
  const own = names.filter((each) => /^[A-Za-z_]\w*$/.test(each) && each !== "default");
  const file = counterparts[name];
  return [
    `const refuse = (what) => function () { throw new Error(what + " of ${name} is not there in browsers"); };`,
    `const refused = { ${own.map((each) => `${each}: refuse("${each}")`).join(", ")} };`,
    `module.exports = { ...refused, ${file === undefined ? "" : `...require(${JSON.stringify(file)})`} };`,
    "module.exports.default = module.exports;",
  ].join("\n");
}

/** Returns the source of a replacement of `runtime-modules.ts`, with the bundle's modules; each runs on first use. */
function moduleTable(): string {
  const paths = linked
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .map((path) => path.replaceAll("\\", "/"));
  const wanted = paths.filter((path) => !networked.test(path)).sort();
  return [
    "const modules = {",
    ...wanted.map((path) => `  ${JSON.stringify(path)}: () => require("./${path}"),`),
    "};",
    "export function loadModule(path) {",
    "  const load = modules[path];",
    "  if (load === undefined) throw Object.assign(new Error(path), { code: 'NOT_IN_BROWSERS' });",
    "  return load();",
    "}",
    "export const loadRuntime = loadModule;",
    "export function loadComponentApi() { return loadModule('component'); }",
  ].join("\n");
}

/** A script, and the modules it contains, relative to the root of the project. */
export interface BundledWorker {
  readonly script: string;
  readonly modules: readonly string[];
}

/** Bundles the worker. */
export async function bundleWorker(): Promise<BundledWorker> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["playground/worker/main.ts"],
    outdir: "worker",
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    conditions: ["browser"],
    target: "es2023",
    minify: true,
    metafile: true,
    inject: [own("globals.ts")],
    define: { global: "globalThis" },
    legalComments: "none",
    logLevel: "error",
    plugins: [forBrowsers, bundledPackages, precompiledSchemas, swaggerParserPatch(), ...packagePatches()],
  });
  return { script: outputFiles[0]?.text ?? "", modules: inputsOf(metafile) };
}

function inputsOf({ inputs }: Metafile): readonly string[] {
  return Object.keys(inputs);
}
