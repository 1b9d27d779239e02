// Patches mqtt: removes code that a gateway never uses (245 KB of the bundle and 20 MB of memory at start), and accepts
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
 * - No traces for its developers: here the package, and `traces` below for its calls.
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

/** The functions that TypeScript writes into each module for its imports: one kilobyte each. */
const importHelpers =
  /^var __(?:createBinding|importDefault) = .*?^(?=Object\.defineProperty\(exports, "__esModule")/ms;

/** The same functions for the imports that remain: all that use `__importStar` are of modules of mqtt. */
const shortHelpers = `const __importStar = (module) => module;
const __importDefault = (module) => module?.__esModule ? module : { default: module };
`;

/** The mark of a module that TypeScript has compiled. */
const compiledMark = 'Object.defineProperty(exports, "__esModule", { value: true });';

/** Statements of one line that trace what the client does, which nothing in a gateway reads. */
const traces = /^[ \t]*(?:(?:this|client)\.log|debug)\(.*\);?$/gm;

/** Returns a module without code that a gateway never uses. An empty statement stands for a trace: it may be the only one of an `if`. */
function shortened(text: string): string {
  return text
    .replace(importHelpers, shortHelpers)
    .replace(compiledMark, "exports.__esModule = true;")
    .replace(traces, ";");
}

const moduleOfPackets = /[\\/]node_modules[\\/]mqtt-packet[\\/][^\\/]*\.js$/;

/** Matches a module of the package: the package's folder, and the path of the module in it. */
const moduleOfMqtt = /^(.*[\\/]node_modules[\\/]mqtt)[\\/](.*\.[cm]?js)$/;

/**
 * Loads a module of mqtt, shortened. Fails the build for a module of an unproved release or with changes.
 */
async function loadProved(path: string): Promise<OnLoadResult> {
  const [, folder = "", file = ""] = moduleOfMqtt.exec(path) ?? [];
  const manifest: { version?: unknown } = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
  if (manifest.version !== provedVersion) {
    return refuse(
      `mqtt ${manifest.version} is installed, but acknowledgements are proved for ${provedVersion} only`,
    );
  }
  const name = file.replaceAll("\\", "/");
  if (name === "build/index.js") return { contents: mainModule, loader: "js" };
  const text = await readFile(path, "utf8");
  const expected = provedFiles[name];
  if (expected !== undefined && createHash("sha256").update(text).digest("hex") !== expected)
    return refuse(`${file} of mqtt ${provedVersion} was changed`);
  return { contents: shortened(text), loader: "js" };
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
      build.onLoad({ filter: moduleOfPackets }, async ({ path }) => ({
        contents: shortened(await readFile(path, "utf8")),
        loader: "js",
      }));
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
