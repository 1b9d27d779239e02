// Patches ws: removes compression, which a gateway neither offers nor accepts, and its server if unused (13 KB of the
// bundle).

import { join } from "node:path";
import type { Plugin } from "esbuild";

/**
 * The interface that `websocket.js` and `websocket-server.js` use. Every WebSocket of a gateway has
 * `perMessageDeflate: false`, and an extension that is not negotiated is never created.
 */
const noCompression = `module.exports = class {
  static extensionName = "permessage-deflate";
  constructor() {
    throw new Error("Compression of WebSockets is not part of this gateway.");
  }
};`;

const namespace = "sluice-ws-replacement";

/** Returns an esbuild plugin that replaces compression and includes only those modules of ws that a bundle imports. */
export function wsPatch(): Plugin {
  return {
    name: "sluice-ws",
    setup(build) {
      build.onResolve({ filter: /^\.\/(lib\/)?permessage-deflate(\.js)?$/ }, ({ path, importer }) =>
        isOfWs(importer) ? { path, namespace, sideEffects: false } : null,
      );
      build.onResolve({ filter: /^\.\/lib\// }, ({ path, importer, resolveDir, kind }) => {
        // Only imports of the module that exports all others.
        if (!isOfWs(importer) || kind !== "import-statement" || path.includes("permessage-deflate"))
          return null;
        return { path: join(resolveDir, path), sideEffects: false };
      });
      build.onLoad({ filter: /.*/, namespace }, () => ({ contents: noCompression, loader: "js" }));
    },
  };
}

function isOfWs(importer: string): boolean {
  return /[\\/]node_modules[\\/]ws[\\/]/.test(importer);
}
