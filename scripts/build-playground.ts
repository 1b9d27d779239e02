// Writes the playground as files that any web server can serve, to the default folder or the one named by the first
// argument: `npm run docs:playground`.

import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { playgroundHtml, playgroundPolicy, readPlayground } from "../playground/files.ts";

const folder = resolve(process.argv[2] ?? join(import.meta.dirname, "../out/playground"));
mkdirSync(folder, { recursive: true });
for (const [name, text] of await readPlayground()) writeFileSync(join(folder, name), text);
// The web server may send no headers, so the page contains its content security policy.
const policy = `<meta http-equiv="content-security-policy" content="${playgroundPolicy}">`;
writeFileSync(join(folder, "index.html"), playgroundHtml.replace('<meta charset="utf-8">', `$&\n${policy}`));
writeFileSync(join(folder, "start.json"), "null\n");
console.log(`The playground is in ${folder}.`);
