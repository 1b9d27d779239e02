// Patches ws: removes compression, which a gateway neither offers nor accepts, the listeners of browsers, and its server
// if unused (18 KB of the bundle); reads frames with fewer objects and without the machinery of a stream.

import { join } from "node:path";
import type { Plugin } from "esbuild";
import { type FilePatch, sourcePatch } from "./source-patch.ts";

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

/** The loop over single bytes. */
const unmaskBytes = `  for (let i = 0; i < buffer.length; i++) {
    buffer[i] ^= mask[i & 3];
  }
`;

/**
 * Unmasks whole words, which takes a third of the time for a frame of 545 bytes. Words of a big-endian processor are in
 * the other order, so that it takes bytes, as do short frames.
 */
const unmaskWords = `  const { length, byteOffset } = buffer;
  const start = -byteOffset & 3;
  const count = length < leastInWords ? 0 : (length - start) >>> 2;
  let at = 0;
  if (count > 0) {
    for (; at < start; at++) buffer[at] ^= mask[at & 3];
    const words = new Int32Array(buffer.buffer, byteOffset + at, count);
    const key = mask[at & 3] | (mask[(at + 1) & 3] << 8) | (mask[(at + 2) & 3] << 16) | (mask[(at + 3) & 3] << 24);
    for (let i = 0; i < count; i++) words[i] ^= key;
    at += 4 * count;
  }
  for (; at < length; at++) buffer[at] ^= mask[at & 3];
`;

/** The body of `consume`, which makes another object for the rest of a chunk. */
const consumeByRest = /^ {4}if \(n === this\._buffers\[0\]\.length\) return.*?^ {4}return dst;\n/ms;

/** Remembers how much of the first chunk is read. The head of a frame is copied into a buffer that all frames share. */
const consumeInPlace = `    const first = this._buffers[0];
    const from = this._consumed;
    if (from + n <= first.length) {
      this.advance(n);
      return n === first.length ? first : new FastBuffer(first.buffer, first.byteOffset + from, n);
    }
    const dst = Buffer.allocUnsafe(n);
    for (let at = 0; at < n; ) {
      const start = this._consumed;
      const part = this._buffers[0].subarray(start, start + n - at);
      dst.set(part, at);
      at += part.length;
      this.advance(part.length);
    }
    return dst;
  }

  advance(n) {
    this._consumed += n;
    if (this._consumed < this._buffers[0].length) return;
    this._buffers.shift();
    this._consumed = 0;
  }

  consumeHead(n) {
    const first = this._buffers[0];
    const from = this._consumed;
    if (from + n > first.length) return this.consume(n);
    for (let i = 0; i < n; i++) head[i] = first[from + i];
    this._bufferedBytes -= n;
    this.advance(n);
    return head;
`;

const frames: readonly FilePatch[] = [
  {
    file: "lib/buffer-util.js",
    about: "the unmasking of frames",
    edits: [
      { original: unmaskBytes, replacement: unmaskWords },
      {
        original: "const FastBuffer = Buffer[Symbol.species];\n",
        replacement: `const FastBuffer = Buffer[Symbol.species];
const leastInWords = new Uint8Array(Uint32Array.of(1).buffer)[0] ? 64 : Infinity;
`,
      },
    ],
  },
  {
    file: "lib/receiver.js",
    about: "the reading of chunks",
    edits: [
      {
        original: "const GET_INFO = 0;\n",
        replacement: "const head = Buffer.alloc(8);\nconst GET_INFO = 0;\n",
      },
      {
        original: "    this._buffers = [];\n",
        replacement: "    this._buffers = [];\n    this._consumed = 0;\n",
      },
      { original: consumeByRest, replacement: consumeInPlace },
      {
        original: "    const buf = this.consume(2);\n",
        replacement: "    const buf = this.consumeHead(2);\n",
      },
      { original: "this.consume(2).readUInt16BE(0)", replacement: "this.consumeHead(2).readUInt16BE(0)" },
      {
        original: "    const buf = this.consume(8);\n",
        replacement: "    const buf = this.consumeHead(8);\n",
      },
    ],
  },
  {
    // A receiver without compression never waits, so that nothing is buffered: its stream would only add objects.
    file: "lib/websocket.js",
    about: "the hand-over of data to the receiver",
    edits: [
      {
        original: `  if (!this[kWebSocket]._receiver.write(chunk)) {
    this.pause();
  }
`,
        replacement: `  const receiver = this[kWebSocket]._receiver;
  if (receiver.writable && receiver.writableLength === 0) {
    receiver._write(chunk, undefined, (error) => {
      if (error) receiver.destroy(error);
    });
  } else if (!receiver.write(chunk)) this.pause();
`,
      },
    ],
  },
];

const namespace = "sluice-ws-replacement";

/** Matches imports of these modules, and captures their names. */
const replaced = /^\.\/(?:lib\/)?(permessage-deflate|extension|event-target)(?:\.js)?$/;

/**
 * Returns an esbuild plugin that replaces these modules, changes how frames are read, and includes only those modules of
 * ws that a bundle imports.
 */
export function wsPatch(): Plugin {
  return {
    name: "sluice-ws",
    setup(build) {
      sourcePatch("ws", frames).setup(build);
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
