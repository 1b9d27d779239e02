// bcryptjs as text: a gateway runs it on a thread, and a linked one has no package to read it from.

import { readFile } from "node:fs/promises";
import { type Plugin, transform } from "esbuild";

const textModule = `const text = require("bcryptjs");

export function bcryptSource() {
  return text;
}
`;

/** Puts the text in place of `runtime/keys/bcrypt-source.ts`, whose only export is the same. */
export function bcryptjsPatch(): Plugin {
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
