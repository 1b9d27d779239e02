// Runs `sluice init`: creates a project that passes checks and tests immediately: an example of this package, renamed.

import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gatewayFileSchema, wholeDocumentSchema } from "../../../schemas/whole-document.ts";
import { coreDialect } from "../../trees/dialect.ts";
import { fillFolder, nameFor, shellWord } from "../output-folder.ts";
import { packageRoot, version } from "../package-root.ts";
import { printable } from "../terminal.ts";

/** Path below the package. `npm pack` includes it. */
const template = "examples/project";
const templateName = "sluice-project";

/** Creates the project. Returns the exit code. Throws an `OutputError` if the folder is not empty. */
export async function runInit(folder: string): Promise<number> {
  await fillFolder(folder, () => writeProject(folder));
  const steps = [
    ...(folder === "." ? [] : [`cd ${shellWord(folder)}`]),
    "sluice check gateway.yaml",
    "sluice test .",
    "sluice run gateway.yaml --watch",
  ];
  process.stdout.write(
    `made ${printable(folder)}\n\n${steps.map((step) => `  ${printable(step)}\n`).join("")}`,
  );
  return 0;
}

function writeProject(folder: string): void {
  cpSync(join(packageRoot(), template), folder, { recursive: true });
  const name = nameFor(folder, templateName);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const devDependencies = { sluice: `^${version()}` };
  write(folder, "package.json", `${JSON.stringify({ ...manifest, name, devDependencies }, undefined, 2)}\n`);
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  write(folder, "README.md", readme.replaceAll(templateName, name));
  // Written here, because npm treats a template file of this name as its own.
  write(folder, ".gitignore", "node_modules\nout\n.vscode/*.schema.json\n");
  const { components } = coreDialect;
  write(folder, ".vscode/sluice.schema.json", `${JSON.stringify(wholeDocumentSchema(components))}\n`);
  write(folder, ".vscode/gateway.schema.json", `${JSON.stringify(gatewayFileSchema(components))}\n`);
}

function write(folder: string, file: string, text: string): void {
  writeFileSync(join(folder, file), text);
}
