// Writes the documentation site to `out/docs`, or to the folder named by the first argument: `npm run docs:build`. The
// generator is a package of its own (docs/site), which this script installs if it is missing.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

const site = join(import.meta.dirname, "../docs/site");
const folder = resolve(process.argv[2] ?? join(import.meta.dirname, "../out/docs"));
const generator = join(site, "node_modules/vitepress/bin/vitepress.js");
const options = { cwd: site, stdio: "inherit" } as const;

if (!existsSync(generator)) {
  execFileSync("npm", ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"], {
    ...options,
    shell: process.platform === "win32", // on Windows, npm is a batch file
  });
}
execFileSync(process.execPath, [generator, "build", ".", "--outDir", folder], options);
console.log(`The site is in ${folder}.`);
