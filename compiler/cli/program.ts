// Defines the commands and their help. The implementation of each command is in its own file and is loaded when it
// runs.

import { Command, Option } from "commander";
import {
  type AsyncapiOptions,
  type BuildOptions,
  type CheckCommandOptions,
  countOption,
  formatOption,
  imageOption,
  maxWarningsOption,
  numberOption,
  type SetOption,
  setOption,
  type TestConnectionsOptions,
  type TypesOptions,
  timeoutOption,
} from "./command-options.ts";
import type { BloblOptions } from "./commands/blobl.ts";
import type { FormatOptions } from "./commands/fmt.ts";
import type { GatewayOptions } from "./commands/gateway.ts";
import type { KeyHashOptions } from "./commands/key-hash.ts";
import type { SchemaCommandOptions } from "./commands/schema.ts";
import type { TestCommandOptions } from "./commands/test.ts";
import type { OutputFormat } from "./diagnostics.ts";
import {
  asyncapiExamples,
  bloblExamples,
  buildExamples,
  checkExamples,
  componentExamples,
  formatExamples,
  gatewayExamples,
  keyExamples,
  programExamples,
  runExamples,
  testConnectionsExamples,
  testExamples,
  typesExamples,
} from "./examples.ts";
import { misuseOf } from "./exit-codes.ts";
import { version } from "./package-root.ts";

/** Adds a command to the program. */
export type AddCommand = (program: Command) => void;

/**
 * Returns the command line as a commander program that throws instead of exiting. `others`: commands of outer layers.
 */
export function createProgram(others: readonly AddCommand[] = []): Command {
  const program = new Command("sluice")
    .description("Compiles OpenAPI documents that carry x-gw-streaming into streaming gateways.")
    .version(version(), "-V, --version", "Print the version.")
    .helpOption("-h, --help", "Print this help.")
    .helpCommand("help [command]", "Print the help of a command.")
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput(misuseOf("sluice"))
    .addHelpText("after", programExamples);
  addCheck(program);
  addFormat(program);
  addBuild(program);
  addRun(program);
  addGateway(program);
  addBlobl(program);
  addTest(program);
  addTestConnections(program);
  addExplain(program);
  addSchema(program);
  addTypes(program);
  addAsyncapi(program);
  addComponent(program);
  addKey(program);
  for (const add of others) add(program);
  return program;
}

const documents = "API documents (OpenAPI with x-gw-streaming, or bare streams), or one gateway.yaml.";

function addCheck(program: Command): void {
  subcommand(program, "check", "Report problems in documents.")
    .argument("<documents...>", documents)
    .option("--fix", "Apply all safe fixes to the files.")
    .option("--dry-run", "With --fix: show the changes without writing them.")
    .addOption(maxWarningsOption())
    .addOption(formatOption())
    .addHelpText("after", checkExamples)
    .action(async (paths: string[], options: CheckCommandOptions, command: Command) => {
      if (options.dryRun === true && options.fix !== true) {
        command.error("error: option '--dry-run' needs option '--fix'");
      }
      const { runCheck } = await import("./commands/check.ts");
      process.exitCode = await runCheck(paths, options);
    });
}

function addFormat(program: Command): void {
  subcommand(program, "fmt", "Lay out the scripts in documents and the files of mappings.")
    .argument("<files...>", "API documents, a gateway.yaml for all of its documents, or .blobl files.")
    .option("--check", "Change nothing; exit with 1 where a file is not laid out.")
    .addHelpText("after", formatExamples)
    .action(async (paths: string[], options: FormatOptions) => {
      const { runFormat } = await import("./commands/fmt.ts");
      process.exitCode = await runFormat(paths, options);
    });
}

function addBuild(program: Command): void {
  subcommand(program, "build", "Compile documents into a gateway that requires only Node.")
    .argument("<documents...>", documents)
    .option(
      "-o, --output <folder>",
      "Folder for gateway.ts, types.ts, gateway.mjs, its source map, manifest.json, licences and SBOM.",
    )
    .option("--minify", "Minify gateway.mjs.")
    .option("--executable", "Also write `gateway`, one file that runs without Node (Linux).")
    .option("--node <file>", "With --executable: the program of Node to put inside, such as one for arm64.")
    .option("--container", "Also write a Containerfile and .dockerignore, for container engines.")
    .option(
      "--base-image <layout>",
      "With --container: also write an OCI image into image/, on top of one in an OCI image layout (a folder, with :TAG).",
    )
    .option(
      "--kubernetes",
      "Also write manifests for Kubernetes into kubernetes/, and values for the Helm chart.",
    )
    .addOption(imageOption())
    .option("--artifact <folder>", "Write a deployment instead, for `sluice gateway --from <folder>`.")
    .addOption(numberOption())
    .addOption(
      new Option("--dump <phase>", "Print the result of a phase instead of building.").choices([
        "plan",
        "gateway",
        "types",
      ]),
    )
    .addOption(maxWarningsOption())
    .addOption(formatOption())
    .addHelpText("after", buildExamples)
    .action(async (paths: string[], options: BuildOptions, command: Command) => {
      if (options.output === undefined && options.dump === undefined && options.artifact === undefined) {
        command.error("error: option '-o, --output <folder>' is missing");
      }
      const other = options.minify === true ? "--minify" : options.output === undefined ? "--dump" : "-o";
      if (options.artifact !== undefined && (other !== "--dump" || options.dump !== undefined)) {
        command.error(`error: options '--artifact <folder>' and '${other}' cannot be used together`);
      }
      if (options.number !== undefined && options.artifact === undefined) {
        command.error("error: option '--number <number>' is of use with '--artifact <folder>' only");
      }
      checkShipping(options, command);
      const { runBuild } = await import("./commands/build.ts");
      process.exitCode = await runBuild(paths, options);
    });
}

function checkShipping(options: BuildOptions, command: Command): void {
  const { output, executable, node, container, kubernetes, baseImage, image } = options;
  const shipped = Object.entries({ executable, container, kubernetes }).find(
    ([, isRequested]) => isRequested === true,
  );
  if (shipped !== undefined && output === undefined) {
    command.error(`error: option '--${shipped[0]}' needs option '-o, --output <folder>'`);
  }
  if (node !== undefined && executable !== true) {
    command.error("error: option '--node <file>' needs option '--executable'");
  }
  if (baseImage !== undefined && container !== true) {
    command.error("error: option '--base-image <layout>' needs option '--container'");
  }
  if (image !== undefined && container !== true && kubernetes !== true) {
    command.error("error: option '--image <name>' needs option '--container' or '--kubernetes'");
  }
}

function addRun(program: Command): void {
  subcommand(program, "run", "Compile documents in memory and serve them.")
    .argument("<documents...>", documents)
    .option("-w, --watch", "Recompile and restart when a document changes.")
    .addOption(formatOption())
    .addHelpText("after", runExamples)
    .action(async (paths: string[], options: { watch?: boolean; format: OutputFormat }) => {
      const { runRun } = await import("./commands/run.ts");
      process.exitCode = await runRun(paths, options);
    });
}

function addGateway(program: Command): void {
  subcommand(
    program,
    "gateway",
    "Serve the current deployment, and switch to new deployments without a restart.",
  )
    .requiredOption("--from <place>", "The address of a management service, or a folder.")
    .addHelpText("after", gatewayExamples)
    .action(async (options: GatewayOptions) => {
      const { runGateway } = await import("./commands/gateway.ts");
      await runGateway(options);
    });
}

function addBlobl(program: Command): void {
  subcommand(
    program,
    "blobl",
    "Run a mapping on messages, one per line, or start an interactive session at a terminal.",
  )
    .argument("[mapping]", "A mapping. Without a mapping or a file, an interactive session starts.")
    .option("-f, --file <file>", "A file that contains the mapping.")
    .option("-r, --raw", "Read each line as a string instead of a JSON document.")
    .option("-p, --pretty", "Print JSON results over several lines.")
    .addOption(
      countOption(
        "-t, --threads <number>",
        "Accepted for compatibility; results are always in the order of the lines.",
      ),
    )
    .addOption(
      countOption("--max-token-length <number>", "Accepted for compatibility; a line may have any length."),
    )
    .addOption(setOption())
    .addHelpText("after", bloblExamples)
    .action(async (mapping: string | undefined, options: BloblOptions, command: Command) => {
      const { file } = options;
      if (mapping !== undefined && file !== undefined) {
        command.error("error: a mapping and option '-f, --file <file>' cannot be used together");
      }
      if (mapping === undefined && file === undefined && process.stdin.isTTY !== true) {
        command.error("error: missing required argument 'mapping', or option '-f, --file <file>'");
      }
      const { runBlobl } = await import("./commands/blobl.ts");
      process.exitCode = await runBlobl(mapping === undefined ? options : { ...options, mapping });
    });
}

function addTest(program: Command): void {
  subcommand(program, "test", "Run unit tests of mappings and pipelines.")
    .argument("<paths...>", "Documents, mappings, test definitions (orders_test.yaml), or folders of them.")
    .option(
      "-r, --resources <file>",
      "Files of resources that documents refer to by label; a path or a pattern, repeatable.",
      (path: string, before: readonly string[] = []) => [...before, path],
    )
    .option("-w, --watch", "Run the tests again when one of their files changes.")
    .addOption(setOption())
    .addOption(
      new Option("--format <format>", "How to print results.")
        .choices(["pretty", "json", "junit"])
        .default("pretty"),
    )
    .addHelpText("after", testExamples)
    .action(async (paths: string[], options: TestCommandOptions) => {
      const { runTest } = await import("./commands/test.ts");
      process.exitCode = await runTest(paths, options);
    });
}

function addTestConnections(program: Command): void {
  subcommand(
    program,
    "test-connections",
    "Connect to all brokers and servers of documents, without sending messages.",
  )
    .argument("<documents...>", documents)
    .option("--json", "Print JSON: one object per component, with its checks.")
    .addOption(timeoutOption())
    .addHelpText("after", testConnectionsExamples)
    .action(async (paths: string[], options: TestConnectionsOptions) => {
      const { runTestConnections } = await import("./commands/test-connections.ts");
      process.exitCode = await runTestConnections(paths, options);
    });
}

function addExplain(program: Command): void {
  subcommand(program, "explain", "Explain a diagnostic, or a component, function or method by its name.")
    .argument("<code>", "A code such as GW1003, or a name such as kafka or uppercase.")
    .addOption(setOption())
    .addHelpText("after", "\nExamples:\n  sluice explain GW1003\n  sluice explain kafka\n")
    .action(async (code: string, options: SetOption) => {
      const { runExplain } = await import("./commands/explain.ts");
      process.exitCode = await runExplain(code, options);
    });
}

function addSchema(program: Command): void {
  subcommand(program, "schema", "Print the JSON Schema of whole documents, for editors.")
    .option("--gateway", "The schema of gateway.yaml in place of that of API documents.")
    .addOption(setOption())
    .addHelpText("after", "\nExamples:\n  sluice schema > sluice.schema.json\n")
    .action(async (options: SchemaCommandOptions) => {
      const { runSchema } = await import("./commands/schema.ts");
      process.exitCode = await runSchema(options);
    });
}

function addTypes(program: Command): void {
  subcommand(program, "types", "Print the type of messages at each step of each stream.")
    .argument("<documents...>", documents)
    .option("--stream <name>", "Print only the stream with this name.")
    .option("--json", "Print JSON: a JSON Schema per step.")
    .addHelpText("after", typesExamples)
    .action(async (paths: string[], options: TypesOptions) => {
      const { runTypes } = await import("./commands/types.ts");
      process.exitCode = await runTypes(paths, options);
    });
}

function addAsyncapi(program: Command): void {
  subcommand(program, "asyncapi", "Print an AsyncAPI 3 document that describes the streams of an API.")
    .argument("<documents...>", documents)
    .option("--api <id>", "Id of the API, if there are several.")
    .option("--server <url...>", "Address of the gateway for clients, instead of the document's `servers`.")
    .addOption(
      new Option("--view <whose>", "Whose `send` and `receive` to print.")
        .choices(["gateway", "client"])
        .default("gateway"),
    )
    .option("--with-brokers", "Describe the channels of brokers too, with bindings.")
    .option("--json", "Print JSON instead of YAML.")
    .addHelpText("after", asyncapiExamples)
    .action(async (paths: string[], options: AsyncapiOptions) => {
      const { runAsyncapi } = await import("./commands/asyncapi.ts");
      process.exitCode = await runAsyncapi(paths, options);
    });
}

function addComponent(program: Command): void {
  const component = subcommand(
    program,
    "component",
    "Write components, functions and methods of your own.",
  ).addHelpText("after", componentExamples);
  subcommand(component, "init", "Make a folder with a package of components that works, its tests and types.")
    .argument("[folder]", "A folder that does not exist yet, or is empty.", ".")
    .addHelpText("after", componentExamples)
    .action(async (folder: string) => {
      const { runComponentInit } = await import("./commands/component.ts");
      process.exitCode = await runComponentInit(folder);
    });
  subcommand(component, "test", "Run the tests of a package of components. Needs Node 24 or newer.")
    .argument("[folder]", "The folder of the package.", ".")
    .addHelpText("after", componentExamples)
    .action(async (folder: string) => {
      const { runComponentTest } = await import("./commands/component.ts");
      process.exitCode = await runComponentTest(folder);
    });
  subcommand(component, "reference", "Print what the packages of a set bring, as Markdown.")
    .addOption(setOption())
    .addHelpText("after", componentExamples)
    .action(async (options: SetOption) => {
      const { runComponentReference } = await import("./commands/component.ts");
      process.exitCode = await runComponentReference(options);
    });
}

function addKey(program: Command): void {
  const key = subcommand(
    program,
    "key",
    "Compute hashes of keys and passwords for use in documents.",
  ).addHelpText("after", keyExamples);
  subcommand(key, "hash", "Print the hash of a key, read from standard input or a prompt.")
    .option("--new", "Create a random key, and print it with its hash.")
    .option("--password", "Hash the password of a user with argon2id.")
    .addHelpText("after", keyExamples)
    .action(async (options: KeyHashOptions) => {
      const { runKeyHash } = await import("./commands/key-hash.ts");
      process.exitCode = await runKeyHash(options);
    });
}

/** Adds a command to the program. It also throws instead of exiting. */
export function subcommand(program: Command, name: string, description: string): Command {
  const names = [name];
  for (let above: Command | null = program; above !== null; above = above.parent) names.unshift(above.name());
  return program
    .command(name)
    .description(description)
    .helpOption("-h, --help", "Print this help.")
    .helpCommand(false)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput(misuseOf(names.join(" ")));
}
