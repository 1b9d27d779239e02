// Patches ws: removes compression, which a gateway neither offers nor accepts, the listeners of browsers, and its server
// if unused (18 KB of the bundle).

import { join } from "node:path";
import type { Plugin } from "esbuild";

/**
 * Modules that a gateway does not need, by name:
 * - Every WebSocket of a gateway has `perMessageDeflate: false`: an extension is neither created nor negotiated.
 * - Gateways listen to events of Node, not to those of browsers.
 */
const replacements: Readonly<Record<string, string>> = {
  "permessage-deflate": `module.exports = class {
  static extensionName = "permessage-deflate";
  constructor() {
    throw new Error("Compression of WebSockets is not part of this gateway.");
  }
};`,
  extension: "",
  "event-target": "exports.EventTarget = {};",
};

const namespace = "sluice-ws-replacement";

/** Matches imports of these modules, and captures their names. */
const replaced = /^\.\/(?:lib\/)?(permessage-deflate|extension|event-target)(?:\.js)?$/;

/** Returns an esbuild plugin that replaces these modules and includes only those modules of ws that a bundle imports. */
export function wsPatch(): Plugin {
  return {
    name: "sluice-ws",
    setup(build) {
      build.onResolve({ filter: replaced }, ({ path, importer }) => {
        const [, name = ""] = replaced.exec(path) ?? [];
        return isOfWs(importer) ? { path: name, namespace, sideEffects: false } : null;
      });
      build.onResolve({ filter: /^\.\/lib\// }, ({ path, importer, resolveDir, kind }) => {
        // Only imports of the module that exports all others.
        if (!isOfWs(importer) || kind !== "import-statement") return null;
        return { path: join(resolveDir, path), sideEffects: false };
      });
      build.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
        contents: replacements[path] ?? "",
        loader: "js",
      }));
    },
  };
}

function isOfWs(importer: string): boolean {
  return /[\\/]node_modules[\\/]ws[\\/]/.test(importer);
}
