// pino without transports, multistreams and redaction, which the log of a gateway does not use (`runtime/process/log.ts`).

import type { Plugin } from "esbuild";

/** Files below `pino/lib/`: pino loads them at start, and calls them for options that a gateway never gives. */
const unused = /[\\/]node_modules[\\/]pino[\\/]lib[\\/](transport|multistream|redaction)\.js$/;

/** An esbuild plugin that puts functions that throw in place of those files. */
export function pinoPatch(): Plugin {
  return {
    name: "sluice-pino",
    setup(build) {
      build.onLoad({ filter: unused }, ({ path }) => {
        const name = unused.exec(path)?.[1];
        const message = JSON.stringify(`pino's ${name} is not part of this gateway.`);
        return { contents: `module.exports = () => { throw new Error(${message}); };`, loader: "js" };
      });
    },
  };
}
