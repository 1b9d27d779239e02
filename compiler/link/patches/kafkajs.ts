// kafkajs without its idle loop, and with a look at the checksums of what it reads.

import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

/** A change of one file of kafkajs 2.2.4. */
interface Patch {
  readonly file: RegExp;
  /** What it changes and why, to check it against a newer release. */
  readonly about: string;
  /** Stands in the file once. */
  readonly original: string;
  readonly patched: string;
}

/** The function at whose start the patch goes (upstream issues 1751, 1755, 1768). */
const idleLoop = `  scheduleCheckPendingRequests() {
`;

/** "The library is currently not performing CRC validations", kafkajs says before it. */
const checksum = `  const crc = decoder.readInt32() // eslint-disable-line no-unused-vars
`;

const patches: readonly Patch[] = [
  {
    file: /[\\/]kafkajs[\\/]src[\\/]network[\\/]requestQueue[\\/]index\.js$/,
    about: "its idle loop",
    original: idleLoop,
    // Nothing waits, so no timer is needed: a new request checks the queue itself. For requests that wait, the pause is
    // never negative, which Node would warn about.
    patched: `${idleLoop}    if (this.pending.length === 0) return
`,
  },
  {
    file: /[\\/]kafkajs[\\/]src[\\/]protocol[\\/]recordBatch[\\/]v0[\\/]decoder\.js$/,
    about: "the checksum of a batch",
    original: checksum,
    // Brokers give out what lies on their disks as it is. The checksum is over all that follows it (KIP-98).
    patched: `  const crc = decoder.readInt32()
  if (crc >>> 0 !== require('../crc32C')(decoder.buffer.subarray(decoder.offset))) {
    throw new Error('the record batch at offset ' + firstOffset + ' is corrupt: its checksum does not match')
  }
`,
  },
];

/**
 * An esbuild plugin that patches kafkajs wherever a bundle has it. Fails the build when a place is not found, so that a
 * newer release is looked at before it is used.
 */
export function kafkajsPatch(): Plugin {
  return {
    name: "sluice-kafkajs",
    setup(build) {
      for (const { file, about, original, patched } of patches) {
        build.onLoad({ filter: file }, async ({ path }) => {
          const source = await readFile(path, "utf8");
          if (source.split(original).length !== 2) {
            return { errors: [{ text: `kafkajs changed where ${about} is patched` }] };
          }
          return { contents: source.replace(original, () => patched), loader: "js" };
        });
      }
    },
  };
}
