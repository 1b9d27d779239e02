// Defines `sluice tail` and its help. Its implementation is loaded when it runs.

import type { Command } from "commander";
import { countOption } from "../../compiler/cli/command-options.ts";
import { subcommand } from "../../compiler/cli/program.ts";
import type { TailOptions } from "./run-tail.ts";

/** Adds `tail` to the program. */
export function addTail(program: Command): void {
  subcommand(program, "tail", "Print the messages of a stream as they pass, with secrets masked.")
    .argument("<url>", "Address of the management service.")
    .argument("<stream>", "Id of an API and name of a stream: `orders/intake`.")
    .addOption(countOption("--count <number>", "Number of messages to print; until Ctrl-C by default."))
    .option("--json", "Print each message as one line of JSON.")
    .addHelpText("after", tailExamples)
    .action(async (url: string, stream: string, options: TailOptions) => {
      const { runTail } = await import("./run-tail.ts");
      process.exitCode = await runTail(url, stream, options);
    });
}

const tailExamples = `
The service needs \`tail.enabled\`, and the key the permission \`write\`. A gateway shows at most 20 messages of a stream in a
second and 4 KiB of each; the number of the others is printed.

Environment:
  GW_MANAGEMENT_TOKEN   key of the management service

Examples:
  sluice tail https://manage.example.com orders/intake
  sluice tail https://manage.example.com orders/intake --count 1 --json
`;
