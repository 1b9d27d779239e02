// Defines `sluice import` and its help. Its implementation is loaded when it runs.

import type { Command } from "commander";
import { formatOption } from "../../compiler/cli/command-options.ts";
import { subcommand } from "../../compiler/cli/program.ts";
import type { ImportOptions } from "./run-import.ts";

/** Adds `import` to the program. */
export function addImport(program: Command): void {
  const importing = subcommand(program, "import", "Convert a configuration of another engine to a document.");
  subcommand(importing, "bento", "Convert a Bento configuration to a document, and report what does not map.")
    .argument("<file>", "Configuration of one stream.")
    .option("-o, --output <file>", "File for the document, which must not exist; standard output by default.")
    .option("--openapi", "Write an OpenAPI document with x-gw-streaming instead of a bare stream.")
    .option(
      "--name <name>",
      "With --openapi: name of the API and of its stream; the name of the file by default.",
    )
    .addOption(formatOption())
    .addHelpText("after", importExamples)
    .action(async (path: string, options: ImportOptions, command: Command) => {
      if (options.name !== undefined && options.openapi !== true) {
        command.error("error: option '--name <name>' needs option '--openapi'");
      }
      const { runImportBento } = await import("./run-import.ts");
      process.exitCode = await runImportBento(path, options);
    });
}

const importExamples = `
Exit codes: 0 the document is written, 1 something does not map, 64 misuse.

The document passes \`sluice check\`, once gateway.yaml allows the names that are printed for \`allow_unsafe\`.

Examples:
  sluice import bento config.yaml
  sluice import bento config.yaml --openapi -o orders.yaml
`;
