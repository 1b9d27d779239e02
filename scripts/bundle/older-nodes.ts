// Handles modules of Node that lack exports in Node 20: a missing export fails only when it is used, whereas an
// import by name would prevent the whole program from starting.

import type { Plugin } from "esbuild";

const namespace = "older-nodes";

/** The modules that lack a class or a function in Node 20. */
const changed = /^(?:node:)?(?:fs\/promises|sqlite|util|zlib)$/;

/** Converts imports of those modules to property reads. */
export const olderNodes: Plugin = {
  name: "older-nodes",
  setup(builder) {
    builder.onResolve({ filter: changed }, ({ path, kind }) =>
      // CommonJS already reads properties.
      kind === "import-statement" ? { path: path.replace(/^(?:node:)?/, "node:"), namespace } : undefined,
    );
    builder.onLoad({ filter: /.*/, namespace }, ({ path }) => ({ contents: moduleText(path), loader: "js" }));
  },
};

/** Returns a module with every export as a separate property read, so that unused ones are removed. */
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
