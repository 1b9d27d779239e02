// Node's own modules by `require`, of which a start loads no more than it uses: 30 ms of it, and 7 MB of memory.

import type { Plugin } from "esbuild";

const namespace = "sluice-node-modules";

/**
 * An esbuild plugin by which a gateway requires modules of Node. For an `import` Node reads every property of a module at once,
 * and some of them load others when they are read: `WebSocket` of `node:http` loads undici, `ReadStream` of `node:fs` streams of files.
 * `which` chooses among the modules.
 */
export function nodeModulesPatch(which = /^node:/): Plugin {
  return {
    name: namespace,
    setup(build) {
      build.onResolve({ filter: which }, ({ path, kind }) =>
        kind === "import-statement" ? { path, namespace } : null,
      );
      build.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
        contents: `module.exports = require("${path}");`,
        loader: "js",
      }));
    },
  };
}
