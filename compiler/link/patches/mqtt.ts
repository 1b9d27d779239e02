// mqtt without what a gateway never uses: 187 KB of the bundle and 20 MB of memory at start.

import type { Plugin } from "esbuild";

/**
 * What stands in for packages that mqtt carries for browsers and proxies: Node's own streams for its copy
 * of them; Node's timers for the workers that browsers need; and no SOCKS client, which no field of the
 * `mqtt` connector can ask for.
 */
const replacements: Readonly<Record<string, string>> = {
  "readable-stream": 'module.exports = require("node:stream");',
  "worker-timers": "module.exports = { setInterval, clearInterval, setTimeout, clearTimeout };",
  socks: `exports.SocksClient = class {
  static createConnection() {
    throw new Error("SOCKS proxies are not part of this gateway.");
  }
};`,
};

const namespace = "sluice-mqtt-replacement";

/** An esbuild plugin that replaces those packages wherever mqtt's own code imports them. */
export function mqttPatch(): Plugin {
  return {
    name: "sluice-mqtt",
    setup(build) {
      const names = new RegExp(`^(${Object.keys(replacements).join("|")})$`);
      build.onResolve({ filter: names }, ({ path, importer }) =>
        /[\\/]node_modules[\\/](mqtt|mqtt-packet|bl)[\\/]/.test(importer) ? { path, namespace } : null,
      );
      build.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
        contents: replacements[path] ?? "",
        loader: "js",
      }));
    },
  };
}
