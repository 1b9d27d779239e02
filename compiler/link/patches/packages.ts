// Every change made to a package, or to how one is loaded, while it is linked. Each has its reason in its own file.

import { readFile } from "node:fs/promises";
import { type Plugin, transform } from "esbuild";
import { amqplibPatch } from "./amqplib.ts";
import { kafkajsPatch } from "./kafkajs.ts";
import { mqttPatch } from "./mqtt.ts";
import { natsPatch } from "./nats.ts";
import { rheaPatch } from "./rhea.ts";
import { wsPatch } from "./ws.ts";

/** The patches as esbuild plugins. */
export function packagePatches(): readonly Plugin[] {
  return [amqplibPatch(), bcryptjsPatch(), kafkajsPatch(), mqttPatch(), natsPatch(), rheaPatch(), wsPatch()];
}

const textModule = `const text = require("bcryptjs");

export function bcryptSource() {
  return text;
}
`;

/** Puts the text in place of `runtime/keys/bcrypt-source.ts`, whose only export is the same. */
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
