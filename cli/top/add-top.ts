// Defines `sluice top` and its help. Its implementation is loaded when it runs.

import type { Command } from "commander";
import { countOption, durationOption } from "../../compiler/cli/command-options.ts";
import { subcommand } from "../../compiler/cli/program.ts";
import type { TopOptions } from "./run-top.ts";

/** Adds `top` to the program. */
export function addTop(program: Command): void {
  subcommand(program, "top", "Show the streams of a running gateway: states, rates, lag, failures, clients.")
    .argument("[url]", "Address of the listener for operators.", "http://127.0.0.1:8081")
    .addOption(durationOption("--interval <duration>", "Interval between updates.").default(2000, "2s"))
    .addOption(
      countOption("--count <number>", "Number of updates; at a terminal, until q or Ctrl-C by default."),
    )
    .addHelpText("after", topExamples)
    .action(async (url: string, options: TopOptions) => {
      const { runTop } = await import("./run-top.ts");
      process.exitCode = await runTop(url, options);
    });
}

const topExamples = `
Environment:
  GW_ADMIN_TOKEN   token of the listener, if the gateway has one

Examples:
  sluice top
  sluice top http://gateway-0:8081 --interval 5s
  sluice top --count 1 > streams.txt
`;
