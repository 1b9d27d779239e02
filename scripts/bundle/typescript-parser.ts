// Reduces the TypeScript compiler of ts-morph to what writing a file needs: its parser, its printer and the nodes of
// its language service. The type checker, the transformers and the fixes of editors are two thirds of its size.

import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type OnLoadResult, transform } from "esbuild";

/** Folders of modules that only register themselves or list all exports: servers, refactorings and fixes. */
const unusedModules =
  /^\/\/ src\/(?:deprecatedCompat|server|services\/(?:codefixes|refactors)|typescript|typingsInstallerCore)\//;

/** Entry points of what is left out, with everything that only they use; they throw when they are called. */
const unusedFunctions = ["createProgram", "createTypeChecker", "getPreEmitDiagnostics", "transform"];

/** An object with the exports of a module inside: its call has an effect, so that it would keep all of them. */
const namespaces = /^var (\w+) = \{\};\n__export\(\1, /gm;

const namespace = `function __namespace(all) {
  const target = {};
  __export(target, all);
  return target;
}`;

/** Returns `typescript.js` of `@ts-morph/common` as a module that exports only what ts-morph uses. */
export async function typescriptParser(path: string): Promise<OnLoadResult> {
  const names = Array.from(await namesUsedBy(dirname(path)));
  let text = (await readFile(path, "utf8"))
    .split(/^(?=\/\/ src\/)/m)
    .filter((module) => !unusedModules.test(module))
    .join("");
  const change = (from: RegExp, to: (...found: string[]) => string) => {
    const changed = text.replace(from, to);
    if (changed === text) throw new Error(`${path} has no ${from}`);
    text = changed;
  };
  change(/^[\s\S]*?^var ts = \{\}; \(\(module\) => \{$/m, () => "");
  const replace = (name: string, body: string) =>
    change(new RegExp(`^function ${name}\\([\\s\\S]*?^\\}`, "m"), () => `function ${name}() { ${body} }`);
  for (const name of unusedFunctions) replace(name, `throw new Error("\`${name}\` is not bundled");`);
  // A project creates a service, which writing does not use.
  replace("createLanguageService", "return {};");
  // The texts of the compiler's errors, a quarter of a megabyte; what this project writes has none.
  change(
    /^( {2}\w+: diag\(\d+, \d [^"]*)"(?:[^"\\]|\\.)*", "(?:[^"\\]|\\.)*"/gm,
    (_, start) => `${start}"", ""`,
  );
  change(namespaces, (_, name) => `var ${name} = /* @__PURE__ */ __namespace(`);
  const { code } = await transform(`${text}\n${namespace}\nexport { ${names.join(", ")} };`, {
    minify: true,
    treeShaking: true,
    format: "esm",
    target: "node20",
    // It uses its location to find its declarations, which are not needed.
    define: { __filename: `"/typescript.js"`, __dirname: `"/"` },
  });
  return { contents: code, loader: "js" };
}

/** Returns the names of the compiler's exports that ts-morph uses. */
async function namesUsedBy(common: string): Promise<ReadonlySet<string>> {
  const files = [join(common, "ts-morph-common.js"), join(common, "../../../ts-morph/dist/ts-morph.js")];
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  return new Set(
    texts.flatMap((text) =>
      Array.from(text.matchAll(/\bts(?:__namespace)?\.(\w+)/g), ([, name = ""]) => name),
    ),
  );
}
