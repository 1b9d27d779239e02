// `npm run editor:pack`: writes the VS Code extension to `out/sluice-VERSION.vsix`. The same sources produce the same
// bytes.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeZip } from "../runtime/processors/archives/zip.ts";
import { extensionFiles } from "./extension-files.ts";

const root = join(import.meta.dirname, "..");
const { version } = JSON.parse(readFileSync(join(root, "editor/vscode/package.json"), "utf8"));
const target = join(root, `out/sluice-${version}.vsix`);
const files = await extensionFiles();
mkdirSync(join(root, "out"), { recursive: true });
writeFileSync(target, writeZip([...files], new Date("2000-01-01T00:00:00Z")));
process.stdout.write(`${target}: ${files.size} files\n`);
