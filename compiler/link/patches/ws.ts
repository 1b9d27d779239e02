// ws without compression, which a gateway neither offers nor accepts, and without its server where none is: 13 KB of the bundle.

import { join } from "node:path";
import type { Plugin } from "esbuild";

/**
 * What `websocket.js` and `websocket-server.js` ask of it. Every socket of a gateway has `perMessageDeflate: false`: an extension that
 * is not negotiated is never made.
 */
const noCompression = `module.exports = class {
  static extensionName = "permessage-deflate";
  constructor() {
    throw new Error("Compression of WebSockets is not part of this gateway.");
  }
};`;

const namespace = "sluice-ws-replacement";

/** An esbuild plugin that replaces the one and lets a bundle have only those of its modules that it imports. */
export function wsPatch(): Plugin {
  return {
    name: "sluice-ws",
    setup(build) {
      build.onResolve({ filter: /^\.\/(lib\/)?permessage-deflate(\.js)?$/ }, ({ path, importer }) =>
        isOfWs(importer) ? { path, namespace, sideEffects: false } : null,
      );
      build.onResolve({ filter: /^\.\/lib\// }, ({ path, importer, resolveDir, kind }) => {
        // Those of the module that exports all of them.
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
