// Patches mqtt: removes code that a gateway never uses (235 KB of the bundle and 20 MB of memory at start), and accepts
// only the release whose acknowledgements the gateway is known to control.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { OnLoadResult, Plugin } from "esbuild";

/**
 * The release for which `runtime/connectors/mqtt/acknowledgements.ts` is proved. That module replaces a private method
 * of the client. If another release acknowledged a message in another way, the broker would drop the message before its
 * delivery.
 */
const provedVersion = "5.16.0";

/**
 * The unparsed bytes of a connection, in place of `bl`: the same methods, as far as the parser uses them. A list of
 * pieces would take a hundred times the memory of a message that arrives one byte at a time, and removing its pieces
 * takes time that grows with the square of their number. The block grows with what is unread, so that each byte is
 * copied a few times at most.
 */
const parsedBytes = `class Bytes {
  view = Buffer.alloc(0);
  block = this.view;
  end = 0;
  get length() {
    return this.view.length;
  }
  append(piece) {
    const { length } = this.view;
    if (length === 0) {
      this.block = piece;
      this.end = piece.length;
      this.view = piece;
      return;
    }
    if (this.end + piece.length > this.block.length) {
      this.block = Buffer.allocUnsafe(2 * length + piece.length);
      this.block.set(this.view);
      this.end = length;
    }
    this.block.set(piece, this.end);
    this.end += piece.length;
    this.view = this.block.subarray(this.end - length - piece.length, this.end);
  }
  consume(count) {
    this.view = this.view.subarray(count);
  }
  slice(from, to) {
    return this.view.subarray(from, to);
  }
  toString(encoding, from, to) {
    return this.view.toString(encoding, from, to);
  }
  readUInt8(at) {
    return this.view.readUInt8(at);
  }
  readUInt16BE(at) {
    return this.view.readUInt16BE(at);
  }
  readUInt32BE(at) {
    return this.view.readUInt32BE(at);
  }
}
module.exports = () => new Bytes();`;

/**
 * Replacements for packages and modules that mqtt contains for browsers, proxies and its own command line:
 * - Node's own streams instead of its copy of them, and Node's timers instead of workers for browsers.
 * - No SOCKS client, which no field of the `mqtt` connector can request.
 * - No trace for its developers.
 * - No table of topic aliases: the connector neither sets them nor lets the client choose them.
 * - No test for browsers.
 * - One block for the bytes that its parser collects, instead of a list with an object for each piece.
 * - Only a shallow copy of a message that waits for its confirmation: nothing changes its contents afterwards.
 */
const replacements: Readonly<Record<string, string>> = {
  "readable-stream": 'module.exports = require("node:stream");',
  "worker-timers": "module.exports = { setInterval, clearInterval, setTimeout, clearTimeout };",
  socks: `exports.SocksClient = class {
  static createConnection() {
    throw new Error("SOCKS proxies are not part of this gateway.");
  }
};`,
  debug: "module.exports = () => () => undefined;",
  "../topic-alias-send": `Object.defineProperty(exports, "__esModule", { value: true });
exports.default = class {};`,
  "rfdc/default": "module.exports = (packet) => ({ ...packet });",
  "process-nextick-args": "module.exports = process;",
  "./is-browser": `Object.defineProperty(exports, "__esModule", { value: true });
exports.default = exports.isWebWorker = exports.isReactNativeBrowser = false;`,
  bl: parsedBytes,
  "../../package.json": `exports.version = "${provedVersion}";`,
};

/** What gateways import, in place of the main module, which exports everything. */
const mainModule = `exports.MqttClient = require("./lib/client").default;
exports.ErrorWithSubackPacket = require("./lib/shared").ErrorWithSubackPacket;
exports.ReasonCodes = require("./lib/handlers/ack").ReasonCodes;`;

const namespace = "sluice-mqtt-replacement";

/** SHA-256 of the published files that acknowledge messages. */
const provedFiles: Readonly<Record<string, string>> = {
  "build/lib/client.js": "95361b3db351704f33b4ab4a6dfd23bfb323e93c9e26e63dd8c3fc8f5fc0cdbe",
  "build/lib/handlers/publish.js": "d349e3aa71074db1d3303327b30816cfe9825758c9642cb67ecdac81936e8a82",
};

/** Matches a module of the package: the package's folder, and the path of the module in it. */
const moduleOfMqtt = /^(.*[\\/]node_modules[\\/]mqtt)[\\/](.*\.[cm]?js)$/;

/**
 * Fails the build for a module of an unproved release or with changes, and replaces the main module; otherwise leaves
 * the loading to other plugins.
 */
async function loadProved(path: string): Promise<OnLoadResult | undefined> {
  const [, folder = "", file = ""] = moduleOfMqtt.exec(path) ?? [];
  const manifest: { version?: unknown } = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
  if (manifest.version !== provedVersion) {
    return refuse(
      `mqtt ${manifest.version} is installed, but acknowledgements are proved for ${provedVersion} only`,
    );
  }
  const name = file.replaceAll("\\", "/");
  if (name === "build/index.js") return { contents: mainModule, loader: "js" };
  const expected = provedFiles[name];
  if (expected === undefined) return undefined;
  const digest = createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
  return digest === expected ? undefined : refuse(`${file} of mqtt ${provedVersion} was changed`);
}

function refuse(reason: string): OnLoadResult {
  const risk = "messages could be acknowledged before they are delivered";
  return { errors: [{ text: `${reason}: ${risk}. Install mqtt ${provedVersion} as published.` }] };
}

/** Returns an esbuild plugin that replaces these packages in imports of mqtt itself, and checks mqtt. */
export function mqttPatch(): Plugin {
  return {
    name: "sluice-mqtt",
    setup(build) {
      const names = new RegExp(`^(${Object.keys(replacements).map(escapeRegExp).join("|")})$`);
      build.onResolve({ filter: names }, ({ path, importer, resolveDir }) =>
        /[\\/]node_modules[\\/](mqtt|mqtt-packet)[\\/]/.test(importer)
          ? { path, namespace, pluginData: resolveDir }
          : null,
      );
      build.onLoad({ filter: moduleOfMqtt }, ({ path }) => loadProved(path));
      build.onLoad({ filter: /.*/, namespace }, ({ path, pluginData }) => ({
        contents: replacements[path] ?? "",
        loader: "js",
        resolveDir: pluginData,
      }));
    },
  };
}

function escapeRegExp(text: string): string {
  return text.replaceAll(".", String.raw`\.`);
}
