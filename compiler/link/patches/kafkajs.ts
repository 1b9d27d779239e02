// kafkajs without its idle loop: a connected client that does nothing wakes once a millisecond.

import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

/** The function at whose start the patch goes, as kafkajs 2.2.4 has it (upstream issues 1751, 1755, 1768). */
const original = `  scheduleCheckPendingRequests() {
`;

/**
 * Nothing waits: there is no moment at which to look again, and what comes asks for itself. For what waits the pause is
 * never negative, of which Node would warn.
 */
const patched = `${original}    if (this.pending.length === 0) return
`;

/**
 * An esbuild plugin that patches kafkajs wherever a bundle has it. Fails the build when the place is not
 * found, so that a newer release is looked at before it is used.
 */
export function kafkajsPatch(): Plugin {
  return {
    name: "sluice-kafkajs",
    setup(build) {
      const requestQueue = /[\\/]kafkajs[\\/]src[\\/]network[\\/]requestQueue[\\/]index\.js$/;
      build.onLoad({ filter: requestQueue }, async ({ path }) => {
        const source = await readFile(path, "utf8");
        if (source.split(original).length !== 2) {
          return { errors: [{ text: "kafkajs changed where its idle loop is patched" }] };
        }
        return { contents: source.replace(original, patched), loader: "js" };
      });
    },
  };
}
