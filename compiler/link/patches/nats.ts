// Patches the NATS client: removes code that a gateway never uses (43 KB of the bundle), finds headers without a
// search, keeps their values as they are, reports the reason why a connection ends before it can be used, and connects
// again although the clock was set back.

import type { Plugin } from "esbuild";
import { sourcePatch, steadyClock } from "./source-patch.ts";

const core = sourcePatch("nats-core", [
  {
    file: "lib/headers.js",
    about: "the search for a header, or its value,",
    edits: [
      // The client searches all headers of a message for each header: 100 KB of headers took seconds, 1 MB minutes.
      {
        original: "        const keys = this.keys();\n        switch (match) {",
        replacement: `        if (match === core_1.Match.Exact) return this.headers.has(k) ? [k] : [];
        const keys = this.keys();
        switch (match) {`,
      },
      // Blanks around a value are not part of it. The client also removed a byte order mark, U+00A0, VT and others.
      {
        original: "        return k.trim();",
        replacement: `        let [start, end] = [0, k.length];
        while (" \\t".includes(k[start] ?? "-")) start++;
        while (end > start && " \\t".includes(k[end - 1])) end--;
        return k.slice(start, end);`,
      },
      { original: "s.slice(idx + 1).trim()", replacement: "s.slice(idx + 1)" },
    ],
  },
  {
    file: "lib/protocol.js",
    about: "a command, the end of a connection, or the time of an attempt",
    edits: [
      steadyClock(2),
      // The client allocates memory of its own, outside the heap, for the first line of each message.
      { original: "buf = (0, encoders_1.encode)(cmd);", replacement: "buf = Buffer.from(cmd);" },
      // A server that refuses the client's certificate, or is full, ends the connection before the client may use it.
      // The client then waited for its timeout and reported the timeout instead of the reason.
      {
        original: `.then(async (_err) => {
            this.connected = false;`,
        replacement: `.then(async (_err) => {
            this.connected = false;
            this.connectError?.(
              this.transport.closeError || this.lastError || new errors_1.errors.ConnectionError("connection closed"),
            );`,
      },
    ],
  },
  { file: "lib/idleheartbeat_monitor.js", about: "the time of a heartbeat", edits: [steadyClock(3)] },
]);

/**
 * The functions of tweetnacl that `@nats-io/nkeys` uses for Ed25519, implemented with Node's own (RFC 8032; keys as in
 * RFC 8410). Keys of other curves, with which NATS encrypts messages, occur in no field of a document.
 */
const signatures = `const { createPrivateKey, createPublicKey, randomBytes, sign, verify } = require("node:crypto");
const privateHead = Buffer.from("302e020100300506032b657004220420", "hex");
const publicHead = Buffer.from("302a300506032b6570032100", "hex");
const privateKey = (seed) =>
  createPrivateKey({ key: Buffer.concat([privateHead, seed]), format: "der", type: "pkcs8" });
const publicKeyOf = (bytes) =>
  createPublicKey({ key: Buffer.concat([publicHead, bytes]), format: "der", type: "spki" });
function fromSeed(seed) {
  if (seed.length !== 32) throw new Error("bad seed size");
  const publicKey = new Uint8Array(createPublicKey(privateKey(seed)).export({ format: "der", type: "spki" }).subarray(-32));
  const secretKey = new Uint8Array(64);
  secretKey.set(seed);
  secretKey.set(publicKey, 32);
  return { publicKey, secretKey };
}
const detached = (message, secretKey) =>
  new Uint8Array(sign(null, message, privateKey(secretKey.subarray(0, 32))));
detached.verify = (message, signature, publicKey) => verify(null, message, publicKeyOf(publicKey), signature);
module.exports = {
  randomBytes: (length) => new Uint8Array(randomBytes(length)),
  sign: { keyPair: { fromSeed }, detached },
};`;

/**
 * Replacements for tweetnacl and for modules of the packages `@nats-io/…`: a benchmark, and connections of browsers.
 */
const replacements: Readonly<Record<string, string>> = {
  tweetnacl: signatures,
  "./bench": "exports.Bench = exports.Metric = undefined;",
  "./ws_transport": `exports.wsconnect = exports.wsUrlParseFn = () => {
  throw new Error("WebSockets to NATS are not part of this gateway.");
};`,
};

const namespace = "sluice-nats-replacement";

/** Returns an esbuild plugin that replaces these modules in imports of NATS packages, and patches the core package. */
export function natsPatch(): Plugin {
  return {
    name: "sluice-nats",
    setup(build) {
      core.setup(build);
      build.onResolve({ filter: /^(tweetnacl|\.\/bench|\.\/ws_transport)$/ }, ({ path, importer }) =>
        /[\\/]node_modules[\\/]@nats-io[\\/]/.test(importer) ? { path, namespace } : null,
      );
      build.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
        contents: replacements[path] ?? "",
        loader: "js",
      }));
    },
  };
}
