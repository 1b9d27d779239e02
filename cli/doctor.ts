// Defines `sluice doctor` and its help. Its implementation is loaded when it runs.

import type { Command } from "commander";
import { timeoutOption } from "../compiler/cli/command-options.ts";
import type { DoctorOptions } from "../compiler/cli/commands/doctor.ts";
import { subcommand } from "../compiler/cli/program.ts";

/** Adds `doctor` to the program. */
export function addDoctor(program: Command): void {
  subcommand(
    program,
    "doctor",
    "Look for what would keep a gateway from running here, and say what to do about it.",
  )
    .argument(
      "[documents...]",
      "Documents or a gateway.yaml, whose variables and brokers are looked at, too.",
    )
    .option("--json", "Print JSON: one object per finding.")
    .addOption(timeoutOption())
    .addHelpText("after", "\nExamples:\n  sluice doctor\n  sluice doctor gateway.yaml\n")
    .action(async (paths: string[], options: DoctorOptions) => {
      const { runDoctor } = await import("../compiler/cli/commands/doctor.ts");
      process.exitCode = await runDoctor(paths, options);
    });
}
