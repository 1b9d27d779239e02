// Defines `sluice doctor` and its help. Its implementation is loaded when it runs.

import type { Command } from "commander";
import { timeoutOption } from "../compiler/cli/command-options.ts";
import type { DoctorOptions } from "../compiler/cli/commands/doctor.ts";
import { subcommand } from "../compiler/cli/program.ts";

/** Adds `doctor` to the program. */
export function addDoctor(program: Command): void {
  subcommand(program, "doctor", "Check whether a gateway can run on this machine, and suggest remedies.")
    .argument("[documents...]", "Documents or a gateway.yaml whose variables and brokers to check as well.")
    .option("--json", "Print JSON: one object per finding.")
    .addOption(timeoutOption())
    .addHelpText("after", "\nExamples:\n  sluice doctor\n  sluice doctor gateway.yaml\n")
    .action(async (paths: string[], options: DoctorOptions) => {
      const { runDoctor } = await import("../compiler/cli/commands/doctor.ts");
      process.exitCode = await runDoctor(paths, options);
    });
}
