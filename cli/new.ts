// Defines `sluice init` and `sluice new` and their help. Their implementations are loaded when they run.

import { type Command, Option } from "commander";
import { subcommand } from "../compiler/cli/program.ts";
import type { NewApiOptions, NewStreamOptions, NewTestOptions } from "./project/run-new.ts";
import { inputStarters, outputStarters } from "./project/starters.ts";

/** Adds `init` and `new` to the program. */
export function addNew(program: Command): void {
  subcommand(
    program,
    "init",
    "Make a project: documents, tests, editor settings, CI workflow, container files.",
  )
    .argument("[folder]", "A folder that does not exist yet, or is empty.", ".")
    .addHelpText("after", "\nExamples:\n  sluice init shop && cd shop && sluice test .\n")
    .action(async (folder: string) => {
      const { runInit } = await import("../compiler/cli/commands/init.ts");
      process.exitCode = await runInit(folder);
    });
  const add = subcommand(
    program,
    "new",
    "Add a stream, an API, a mapping or a test; prompts at a terminal.",
  ).addHelpText("after", newExamples);
  subcommand(add, "stream", "Add a stream to an OpenAPI document.")
    .argument("[name]", "The name of the stream.")
    .option("--in <document>", "The document.")
    .addOption(
      new Option("--input <component>", "Where messages come from.").choices(Object.keys(inputStarters)),
    )
    .addOption(new Option("--output <component>", "Where messages go.").choices(Object.keys(outputStarters)))
    .addHelpText("after", newExamples)
    .action(async (name: string | undefined, options: NewStreamOptions) => {
      const { runNewStream } = await import("./project/run-new.ts");
      process.exitCode = await runNewStream(name, options);
    });
  subcommand(add, "api", "Create a document with an API, and add it to gateway.yaml.")
    .argument("[name]", "The name of the API, and of the file.")
    .option("--listen-path <path>", "Listen path; /NAME/ by default.")
    .option("--gateway <file>", "The gateway file to add it to, if there is one.", "gateway.yaml")
    .addHelpText("after", newExamples)
    .action(async (name: string | undefined, options: NewApiOptions) => {
      const { runNewApi } = await import("./project/run-new.ts");
      process.exitCode = await runNewApi(name, options);
    });
  subcommand(add, "mapping", "Create a mapping file and its tests.")
    .argument("[name]", "The name of the file, without its extension.")
    .addHelpText("after", newExamples)
    .action(async (name: string | undefined) => {
      const { runNewMapping } = await import("./project/run-new.ts");
      process.exitCode = await runNewMapping(name);
    });
  subcommand(add, "test", "Create a test file next to a document or a mapping.")
    .argument("[file]", "The document or .blobl file.")
    .option("--stream <name>", "The stream to test, if the document has several.")
    .addHelpText("after", newExamples)
    .action(async (file: string | undefined, options: NewTestOptions) => {
      const { runNewTest } = await import("./project/run-new.ts");
      process.exitCode = await runNewTest(file, options);
    });
}

/** Examples in the help of `sluice new` and its subcommands. */
const newExamples = `
Examples:
  sluice new api shop
  sluice new stream orders --in shop.yaml --input kafka --output http_server
  sluice new mapping prices
  sluice new test shop.yaml --stream orders
`;
