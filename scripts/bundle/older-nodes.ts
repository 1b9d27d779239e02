// Modules of Node that lack something in Node 20: what is missing there is missing when it is called, where an import by
// name would keep the whole program from starting.

import type { Plugin } from "esbuild";

const namespace = "older-nodes";

/** The modules, with a class or function of each that a message names. */
const changed = /^(?:node:)?(?:fs\/promises|sqlite|util|zlib)$/;

/** Makes imports of those modules property reads. */
export const olderNodes: Plugin = {
  name: "older-nodes",
  setup(builder) {
    builder.onResolve({ filter: changed }, ({ path, kind }) =>
      // CommonJS reads properties of its own accord.
      kind === "import-statement" ? { path: path.replace(/^(?:node:)?/, "node:"), namespace } : undefined,
    );
    builder.onLoad({ filter: /.*/, namespace }, ({ path }) => ({ contents: moduleText(path), loader: "js" }));
  },
};

/** Every name that the module exports, each only where it is used. */
function moduleText(name: string): string {
  const module = process.getBuiltinModule(name) as object;
  const names = Object.keys(module).filter((key) => /^[A-Za-z_]\w*$/.test(key) && key !== "default");
  return [
    `const found = process.getBuiltinModule(${JSON.stringify(name)});`,
    "const missing = (name) => function () {",
    `  throw new Error(\`\${name} of ${name} is not in Node \${process.versions.node}: a newer Node is needed\`);`,
    "};",
    ...names.map(
      (key) =>
        `const ${key}$ = /* @__PURE__ */ (() => found?.${key} ?? missing("${key}"))(); export { ${key}$ as ${key} };`,
    ),
    "export default found;",
  ].join("\n");
}
