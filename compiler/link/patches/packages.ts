// All changes to packages, and to the way they are loaded, at link time. The file of each patch explains why.

import { readFile } from "node:fs/promises";
import { type Plugin, transform } from "esbuild";
import { amqplibPatch } from "./amqplib.ts";
import { kafkajsPatch } from "./kafkajs.ts";
import { mqttPatch } from "./mqtt.ts";
import { natsPatch } from "./nats.ts";
import { rheaPatch } from "./rhea.ts";
import { wsPatch } from "./ws.ts";

/** Returns the patches as esbuild plugins. */
export function packagePatches(): readonly Plugin[] {
  return [amqplibPatch(), bcryptjsPatch(), kafkajsPatch(), mqttPatch(), natsPatch(), rheaPatch(), wsPatch()];
}

const textModule = `const text = require("bcryptjs");

export function bcryptSource() {
  return text;
}
`;

/** Puts the text in place of `runtime/keys/bcrypt-source.ts`, which has the same single export. */
function bcryptjsPatch(): Plugin {
  return {
    name: "bcryptjs-as-text",
    setup(build) {
      build.onLoad({ filter: /[\\/]runtime[\\/]keys[\\/]bcrypt-source\.ts$/ }, () => ({
        contents: textModule,
        loader: "js",
      }));
      build.onLoad({ filter: /[\\/]bcryptjs[\\/]umd[\\/]index\.js$/ }, async ({ path }) => {
        const { code } = await transform(await readFile(path, "utf8"), { minify: true });
        return { contents: code, loader: "text" };
      });
    },
  };
}

const namespace = "sluice-node-modules";

/** Modules of Node with many properties that are plain objects, and not functions or emitters of events. */
const inherited: ReadonlySet<string> = new Set(
  ["buffer", "crypto", "fs", "http", "http2", "https", "net", "tls", "util", "zlib"].map(
    (name) => `node:${name}`,
  ),
);

/**
 * Returns an esbuild plugin that makes a gateway `require` modules of Node. For an `import`, Node reads every property
 * of a module immediately, and some properties load other modules: `WebSocket` of `node:http` loads undici,
 * `ReadStream` of `node:fs` loads file streams. Modules that a gateway does not use are not loaded. `which` selects the
 * modules.
 *
 * esbuild copies the properties of a required module for every file that imports it, which is some 3 % of the start.
 * An object that inherits from the module has none to copy.
 */
export function nodeModulesPatch(which = /^node:/): Plugin {
  return {
    name: namespace,
    setup(build) {
      build.onResolve({ filter: which }, ({ path, kind }) =>
        kind === "import-statement" ? { path, namespace, sideEffects: false } : null,
      );
      build.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
        contents: `module.exports = ${inherited.has(path) ? "Object.create" : ""}(require("${path}"));`,
        loader: "js",
      }));
    },
  };
}
