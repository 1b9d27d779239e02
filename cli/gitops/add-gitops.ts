// Defines `sluice plan`, `apply` and `export` and their help. Their implementations are loaded when they run.

import type { Command } from "commander";
import { subcommand } from "../../compiler/cli/program.ts";
import type { GitopsOptions } from "./run-gitops.ts";

/** Adds the commands to the program. */
export function addGitops(program: Command): void {
  const plan = subcommand(program, "plan", "Print what `apply` would change at a management service.");
  common(plan, "Folder with API documents.")
    .option("--prune", "Also delete APIs that are not in the folder.")
    .option("--json", "Print the changes as JSON.")
    .addHelpText("after", planExamples)
    .action(async (options: GitopsOptions) => {
      const { runPlan } = await import("./run-gitops.ts");
      process.exitCode = await runPlan(options);
    });
  const apply = subcommand(program, "apply", "Apply the API documents of a folder to a management service.");
  common(apply, "Folder with API documents.")
    .option("--prune", "Delete APIs that are not in the folder.")
    .option("--json", "Print the changes as JSON.")
    .addHelpText("after", applyExamples)
    .action(async (options: GitopsOptions) => {
      const { runApply } = await import("./run-gitops.ts");
      process.exitCode = await runApply(options);
    });
  const exporting = subcommand(
    program,
    "export",
    "Write the API documents of a management service to a folder.",
  );
  common(exporting, "Folder for the documents; created if missing.")
    .addHelpText("after", exportExamples)
    .action(async (options: GitopsOptions) => {
      const { runExport } = await import("./run-gitops.ts");
      process.exitCode = await runExport(options);
    });
}

function common(command: Command, folder: string): Command {
  return command
    .requiredOption("-f, --file <folder>", folder)
    .option("--server <url>", "Address of the management service; GW_MANAGEMENT_URL by default.");
}

const environment = `
Environment:
  GW_MANAGEMENT_TOKEN   key of the management service
  GW_MANAGEMENT_URL     address of the service, without --server
`;

const planExamples = `${environment}
Exit codes: 0 no change, 2 changes, 1 errors, 64 misuse.

Examples:
  sluice plan -f apis --server https://manage.example.com
  sluice plan -f apis --prune --json
`;

const applyExamples = `${environment}
Examples:
  sluice apply -f apis --server https://manage.example.com
  sluice apply -f apis --prune
`;

const exportExamples = `${environment}
Examples:
  sluice export -f apis --server https://manage.example.com
`;
