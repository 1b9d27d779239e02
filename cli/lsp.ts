// Defines `sluice lsp` and its help. The language server is loaded when it runs.

import type { Command } from "commander";
import { subcommand } from "../compiler/cli/program.ts";

/** Adds `lsp` to the program. */
export function addLsp(program: Command): void {
  subcommand(program, "lsp", "Serve editors over the Language Server Protocol.")
    .option("--stdio", "Use standard input and output, which is the default and the only transport.")
    .addHelpText("after", lspExamples)
    .action(async () => {
      const { startLanguageServer } = await import("../language-server/start.ts");
      await startLanguageServer(process.stdin, process.stdout);
    });
}

/** Help text of `sluice lsp`. */
const lspExamples = `
Editors start this command themselves; editor/README.md has their configurations.
`;
