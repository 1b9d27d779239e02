// Loaded before a program (`node --import`): writes the names of the packages that it loaded to the file
// that LOADED_PACKAGES names.

import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";

const packages = new Set<string>();

registerHooks({
  load(url, context, nextLoad) {
    const name = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
    if (name !== undefined) packages.add(name);
    return nextLoad(url, context);
  },
});

process.on("exit", () => writeFileSync(process.env.LOADED_PACKAGES ?? "", JSON.stringify([...packages])));
