// Bundles every package, so that an installation needs none of them. Most packages need no special treatment; the
// exceptions are here, each with its reason.

import { readFile } from "node:fs/promises";
import { createRequire, isBuiltin } from "node:module";
import { join } from "node:path";
import { type OnLoadResult, type Plugin, transform } from "esbuild";
import { typescriptParser } from "./typescript-parser.ts";

const root = join(import.meta.dirname, "../..");
const require = createRequire(import.meta.url);

/** The ES modules of packages that provide some for bundlers, so that unused code is left out. */
const modules: Readonly<Record<string, string>> = {
  "jsonc-parser": "lib/esm/main.js",
  yaml: "browser/dist/index.js",
  "@dagrejs/dagre": "dist/dagre.esm.js",
};

/** esbuild finds its program next to itself and refuses to be bundled; `copyEsbuild` puts a copy there. */
const esbuildCopy = "./esbuild/lib/main.js";

/** prettier loads its plugins by computed names; the two that declarations need are named here. */
const prettier = `
import { format as formatWith } from "prettier/standalone";
import * as estree from "prettier/plugins/estree";
import * as babel from "prettier/plugins/babel";
export const format = (text, options) => formatWith(text, { ...options, plugins: [babel, estree] });
`;

/** Handles packages that need special treatment in a bundle. */
export const bundledPackages: Plugin = {
  name: "bundled-packages",
  setup(builder) {
    builder.onResolve({ filter: /^esbuild$/ }, () => ({ path: esbuildCopy, external: true }));
    builder.onResolve({ filter: /^(?:jsonc-parser|yaml|@dagrejs\/dagre)$/ }, ({ path }) => ({
      path: join(root, "node_modules", path, modules[path] ?? ""),
    }));
    builder.onResolve({ filter: /^[a-z@][^:]*$/ }, ({ path, kind, importer }) =>
      kind === "dynamic-import" && importer.endsWith(".ts") && !isBuiltin(path)
        ? { path, namespace: "loaded-later" }
        : undefined,
    );
    builder.onLoad({ filter: /.*/, namespace: "loaded-later" }, async ({ path }) => ({
      contents: await namesOf(path),
      resolveDir: root,
    }));
    builder.onResolve({ filter: /^prettier$/ }, ({ path }) => ({ path, namespace: "prettier" }));
    builder.onLoad({ filter: /.*/, namespace: "prettier" }, () => ({
      contents: prettier,
      loader: "js",
      resolveDir: root,
    }));
    // An optional native client, which the package tries to load.
    builder.onResolve({ filter: /^pg-native$/ }, ({ path }) => ({ path, external: true }));
    changeText(builder, /[\\/]@seriousme[\\/]openapi-schema-validator[\\/]index\.js$/, [
      ["importJSON(`./schemas/v${version}/schema.json`)", `require("./schemas/v3.2/schema.json")`],
    ]);
    // Declarations of the language and of browsers, 2 MB, for type-checked programs; this project only writes programs.
    changeText(builder, /[\\/]@ts-morph[\\/]common[\\/]dist[\\/]ts-morph-common\.js$/, [
      [/^const libFiles = \[\{$[\s\S]*?^ *\}\];$/m, "const libFiles = [];"],
    ]);
    builder.onLoad({ filter: /[\\/]@ts-morph[\\/]common[\\/]dist[\\/]typescript\.js$/ }, ({ path }) =>
      typescriptParser(path),
    );
    builder.onLoad({ filter: /[\\/](ts-morph[\\/]dist[\\/]ts-morph|lodash[\\/]lodash)\.js$/ }, ({ path }) =>
      withShortNames(path),
    );
    // The program that makes executables contains five megabytes of WebAssembly as text.
    builder.onResolve({ filter: /^\.\/postject\.wasm\.br$/ }, ({ path }) => ({ path, external: true }));
    builder.onLoad({ filter: /[\\/]postject[\\/]dist[\\/]api\.js$/ }, async ({ path }) => {
      const { before, after } = await readPostject(path);
      const file = `require("node:fs").readFileSync(require.resolve("./postject.wasm.br"))`;
      const text = `require("node:zlib").brotliDecompressSync(${file}).toString("base64")`;
      return shorten(`${before}" + ${text} + "${after}`);
    });
    // The module requires ajv on demand; without a `require` of its own, esbuild bundles what it requires.
    changeText(builder, /[\\/]check[\\/]schema-texts\.ts$/, [
      [`const require = createRequire(import.meta.url);`, ""],
    ]);
  },
};

/** Minifies the local names of a large CommonJS module. */
async function withShortNames(path: string): Promise<OnLoadResult> {
  return shorten(await readFile(path, "utf8"));
}

async function shorten(text: string): Promise<OnLoadResult> {
  const { code } = await transform(text, { minify: true, target: "node20" });
  return { contents: code, loader: "js" };
}

/**
 * Returns a wrapper for a package that is loaded by `import()`, with the named exports that Node provides. esbuild
 * would export only a default for a CommonJS package.
 */
async function namesOf(path: string): Promise<string> {
  const names = Object.keys(await import(path));
  const specifier = JSON.stringify(path);
  if (!names.includes("module.exports")) {
    return `export * from ${specifier};${names.includes("default") ? `export { default } from ${specifier};` : ""}`;
  }
  const own = names.filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== "default");
  return [
    `const found = require(${specifier});`,
    "export default found;",
    ...own.map((name) => `export const ${name} = found.${name};`),
  ].join("\n");
}

/** Replaces texts in a file. Throws if a text does not occur. */
function changeText(
  builder: Parameters<Plugin["setup"]>[0],
  filter: RegExp,
  changes: readonly (readonly [from: string | RegExp, to: string])[],
): void {
  builder.onLoad({ filter }, async ({ path }) => {
    let contents = await readFile(path, "utf8");
    for (const [from, to] of changes) {
      const changed = contents.replace(from, () => to);
      if (changed === contents) throw new Error(`${path} has no \`${from}\``);
      contents = changed;
    }
    return { contents, loader: path.endsWith(".ts") ? "ts" : "js" };
  });
}

/** The folder of the esbuild package, with the files that a copy needs. */
export const esbuildPackage = {
  folder: join(require.resolve("esbuild/package.json"), ".."),
  files: ["lib/main.js", "package.json", "LICENSE.md"],
};

/** The module of postject around its WebAssembly. */
interface Postject {
  readonly before: string;
  readonly program: Buffer;
  readonly after: string;
}

/** Reads the module that makes executables, by default that of the installed package. */
export async function readPostject(path = require.resolve("postject")): Promise<Postject> {
  const text = await readFile(path, "utf8");
  const [before, after, ...others] = text.split(/(?<=;base64,)[A-Za-z0-9+/=]+(?=")/);
  if (before === undefined || after === undefined || others.length > 0)
    throw new Error(`${path} has changed`);
  const program = Buffer.from(text.slice(before.length, text.length - after.length), "base64");
  return { before, program, after };
}
