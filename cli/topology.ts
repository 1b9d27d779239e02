// Defines `sluice topology` and its help. The drawing code is loaded when it runs.

import { type Command, Option } from "commander";
import { subcommand } from "../compiler/cli/program.ts";
import type { TopologyCommandOptions } from "./run-topology.ts";

/** Adds `topology` to the program. */
export function addTopology(program: Command): void {
  subcommand(
    program,
    "topology",
    "Print the components of each stream, and the paths of messages between them.",
  )
    .argument(
      "<documents...>",
      "API documents (OpenAPI with x-gw-streaming, or bare streams), or one gateway.yaml.",
    )
    .option("--stream <name>", "Print only the stream with this name.")
    .addOption(
      new Option("--format <format>", "Print a list, a diagram of one stream, or the graphs as JSON.")
        .choices(["text", "svg", "json"])
        .default("text"),
    )
    .addHelpText("after", topologyExamples)
    .action(async (paths: string[], options: TopologyCommandOptions) => {
      const { runTopology } = await import("./run-topology.ts");
      process.exitCode = await runTopology(paths, options);
    });
}

/** Examples in the help of `sluice topology`. */
const topologyExamples = `
Examples:
  sluice topology orders.yaml
  sluice topology orders.yaml --stream intake --format svg > intake.svg
  sluice topology gateway.yaml --format json
`;
