// Node's HTTP module without the client that it always loads: 20 ms of the start, and 5 MB of memory.

import type { Plugin } from "esbuild";

const name = "node:http";
const namespace = "sluice-node-http";

/**
 * An esbuild plugin by which a gateway requires `node:http`. For an `import` Node reads every property of a module at once,
 * and one of this module's, `WebSocket`, loads undici when it is read.
 */
export function nodeHttpPatch(): Plugin {
  return {
    name: namespace,
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${name}$`) }, ({ path, kind }) =>
        kind === "import-statement" ? { path, namespace } : null,
      );
      build.onLoad({ filter: /.*/, namespace }, () => ({
        contents: `module.exports = require("${name}");`,
        loader: "js",
      }));
    },
  };
}
