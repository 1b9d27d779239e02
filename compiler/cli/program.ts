// The commands and their help. Each command's work is in its own file, loaded when it runs.

import { Command, InvalidArgumentError, Option } from "commander";
import { parseDuration } from "../../schemas/duration.ts";
import type { BloblOptions } from "./commands/blobl.ts";
import type { GatewayOptions } from "./commands/gateway.ts";
import type { KeyHashOptions } from "./commands/key-hash.ts";
import type { ServeCommandOptions } from "./commands/serve.ts";
import type { TestCommandOptions } from "./commands/test.ts";
import type { WarningLimit } from "./diagnostics.ts";
import { version } from "./version.ts";

/** The command line as a commander program that throws instead of exiting. */
export function createProgram(): Command {
  const program = new Command("sluice")
    .description("Compiles OpenAPI documents that carry x-gw-streaming into streaming gateways.")
    .version(version(), "-V, --version", "Print the version.")
    .helpOption("-h, --help", "Print this help.")
    .helpCommand(false)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(`${misuse(text)}\n`) })
    .addHelpText("after", programExamples);
  addCheck(program);
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
  addKey(program);
  addServe(program);
  return program;
}

const documents = "API documents (OpenAPI with x-gw-streaming, or bare streams), or one gateway.yaml.";

/** What commander says in two lines, in one that begins like every other line for people. */
function misuse(text: string): string {
  return `sluice: ${text
    .trim()
    .replace(/^error: /, "")
    .replaceAll("\n", " ")}`;
}

function addCheck(program: Command): void {
  subcommand(program, "check", "Report what is wrong with documents.")
    .argument("<documents...>", documents)
    .option("--fix", "Correct in the files what can safely be corrected.")
    .option("--dry-run", "With --fix: show what would change, and write nothing.")
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

function addBuild(program: Command): void {
  subcommand(program, "build", "Compile documents into a gateway that needs only Node.")
    .argument("<documents...>", documents)
    .option(
      "-o, --output <folder>",
      "Where to write gateway.ts, types.ts, gateway.mjs, its map and manifest.json.",
    )
    .option("--minify", "Shorten gateway.mjs.")
    .option("--artifact <folder>", "Write a deployment instead, for `sluice gateway --from <folder>`.")
    .addOption(
      new Option("--dump <phase>", "Print a phase's result instead of building.").choices([
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
      const { runBuild } = await import("./commands/build.ts");
      process.exitCode = await runBuild(paths, options);
    });
}

function addRun(program: Command): void {
  subcommand(program, "run", "Compile documents in memory and serve them.")
    .argument("<documents...>", documents)
    .option("-w, --watch", "Compile and serve again when a document changes.")
    .addOption(formatOption())
    .addHelpText("after", runExamples)
    .action(async (paths: string[], options: { watch?: boolean; format: OutputFormat }) => {
      const { runRun } = await import("./commands/run.ts");
      process.exitCode = await runRun(paths, options);
    });
}

function addGateway(program: Command): void {
  subcommand(program, "gateway", "Serve what is deployed, and take new deployments while it serves.")
    .requiredOption("--from <place>", "The address of a management service, or a folder.")
    .addHelpText("after", gatewayExamples)
    .action(async (options: GatewayOptions) => {
      const { runGateway } = await import("./commands/gateway.ts");
      await runGateway(options);
    });
}

function addBlobl(program: Command): void {
  subcommand(program, "blobl", "Run a mapping on messages, one a line; at a terminal, try mappings.")
    .argument("[mapping]", "A mapping; without one, and without a file, a session at a terminal.")
    .option("-f, --file <file>", "A file that holds the mapping.")
    .option("-r, --raw", "Lines are texts: `this` is the text of a line, not the document in it.")
    .option("-p, --pretty", "Lay results that are documents out over several lines.")
    .addOption(
      countOption("-t, --threads <number>", "Taken as it is elsewhere; results keep the order of lines."),
    )
    .addOption(
      countOption("--max-token-length <number>", "Taken as it is elsewhere; a line may have any length."),
    )
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
      "Resources that documents name by their label; may be given again, or be a pattern.",
      (path: string, before: readonly string[] = []) => [...before, path],
    )
    .option("-w, --watch", "Run them again when a file they read changes.")
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
    "Connect to everything that documents name, without sending messages.",
  )
    .argument("<documents...>", documents)
    .option("--json", "As JSON: one object for each component, with its checks.")
    .addOption(
      new Option("--timeout <duration>", "How long each check may take.")
        .argParser((text) => {
          const milliseconds = parseDuration(text) ?? 0;
          if (milliseconds >= 1 && milliseconds < 2 ** 31) return milliseconds;
          throw new InvalidArgumentError("It takes a duration, such as 5s or 500ms.");
        })
        .default(5000, "5s"),
    )
    .addHelpText("after", testConnectionsExamples)
    .action(async (paths: string[], options: TestConnectionsOptions) => {
      const { runTestConnections } = await import("./commands/test-connections.ts");
      process.exitCode = await runTestConnections(paths, options);
    });
}

function addExplain(program: Command): void {
  subcommand(program, "explain", "Explain a diagnostic: what it means, a failing and a fixed sample.")
    .argument("<code>", "A code such as GW1003.")
    .addHelpText("after", "\nExamples:\n  sluice explain GW1003\n")
    .action(async (code: string) => {
      const { runExplain } = await import("./commands/explain.ts");
      process.exitCode = await runExplain(code);
    });
}

function addSchema(program: Command): void {
  subcommand(program, "schema", "Print the JSON Schema of whole documents, for editors.")
    .addHelpText("after", "\nExamples:\n  sluice schema > sluice.schema.json\n")
    .action(async () => {
      const { runSchema } = await import("./commands/schema.ts");
      process.exitCode = await runSchema();
    });
}

function addTypes(program: Command): void {
  subcommand(program, "types", "Print what messages look like at each step of each stream.")
    .argument("<documents...>", documents)
    .option("--stream <name>", "Only of the stream of this name.")
    .option("--json", "As JSON: a JSON Schema for each step.")
    .addHelpText("after", typesExamples)
    .action(async (paths: string[], options: TypesOptions) => {
      const { runTypes } = await import("./commands/types.ts");
      process.exitCode = await runTypes(paths, options);
    });
}

function addAsyncapi(program: Command): void {
  subcommand(program, "asyncapi", "Describe the streams of an API to its clients, as AsyncAPI 3.")
    .argument("<documents...>", documents)
    .option("--api <id>", "Which API, where there are several.")
    .option("--server <url...>", "Where clients reach the gateway, in place of the document's `servers`.")
    .option("--json", "As JSON; YAML by default.")
    .addHelpText("after", asyncapiExamples)
    .action(async (paths: string[], options: AsyncapiOptions) => {
      const { runAsyncapi } = await import("./commands/asyncapi.ts");
      process.exitCode = await runAsyncapi(paths, options);
    });
}

function addKey(program: Command): void {
  const key = subcommand(
    program,
    "key",
    "Make hashes of keys and passwords, which documents hold instead of them.",
  )
    .helpCommand(false)
    .addHelpText("after", keyExamples);
  subcommand(key, "hash", "Print the hash of a key: from standard input, or asked for at a terminal.")
    .option("--new", "Make a random key, and print it with its hash.")
    .option("--password", "It is the password of a user: hash it by argon2id.")
    .addHelpText("after", keyExamples)
    .action(async (options: KeyHashOptions) => {
      const { runKeyHash } = await import("./commands/key-hash.ts");
      process.exitCode = await runKeyHash(options);
    });
}

function addServe(program: Command): void {
  subcommand(
    program,
    "serve",
    "Serve the management interface: APIs are made, changed and deployed over HTTP.",
  )
    .argument("[settings]", "A management.yaml; without one, defaults and the environment.")
    .option("--all-in-one", "Serve what is deployed in this process, too: the gateway, with its portal.")
    .addOption(formatOption())
    .addHelpText("after", serveExamples)
    .action(async (path: string | undefined, options: ServeCommandOptions) => {
      const { runServe } = await import("./commands/serve.ts");
      process.exitCode = await runServe(path, options);
    });
}

export type OutputFormat = "pretty" | "json" | "sarif" | "github";

/** What `sluice check` was told. */
export interface CheckCommandOptions extends WarningLimit {
  readonly fix?: boolean;
  readonly dryRun?: boolean;
  readonly format: OutputFormat;
}

/** What `sluice types` was told. */
export interface TypesOptions {
  readonly stream?: string;
  readonly json?: boolean;
}

/** What `sluice asyncapi` was told. */
export interface AsyncapiOptions {
  readonly api?: string;
  readonly server?: readonly string[];
  readonly json?: boolean;
}

/** What `sluice test-connections` was told. */
export interface TestConnectionsOptions {
  readonly json?: boolean;
  /** Milliseconds. */
  readonly timeout: number;
}

/** What `sluice build` was told. */
export interface BuildOptions extends WarningLimit {
  /** Given unless there is `dump` or `artifact`. */
  readonly output?: string;
  readonly minify?: boolean;
  /** A folder; then there is none of the others. */
  readonly artifact?: string;
  readonly dump?: "plan" | "gateway" | "types";
  readonly format: OutputFormat;
}

function subcommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .helpOption("-h, --help", "Print this help.")
    .showSuggestionAfterError()
    .exitOverride();
}

function formatOption(): Option {
  return new Option("--format <format>", "How to print diagnostics.")
    .choices(["pretty", "json", "sarif", "github"])
    .default("pretty");
}

function maxWarningsOption(): Option {
  return countOption("--max-warnings <number>", "Fail when there are more warnings.");
}

/** An option that takes a whole number. */
function countOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text) => {
    if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It takes a whole number, such as 0.");
    return Number(text);
  });
}

const programExamples = `
Examples:
  sluice check orders.yaml               what is wrong, at which line
  sluice run orders.yaml                 serve it on 127.0.0.1:8080
  sluice build gateway.yaml -o out       write a gateway to ship
  sluice blobl 'root = this.name'        map messages, one a line
  sluice test apis                       run the unit tests beside documents
  sluice test-connections orders.yaml    reach every broker, before deploying
  sluice key hash --new                  make a key for a caller, and its hash
  sluice serve management.yaml           take APIs over HTTP, and deploy them
  sluice explain GW4001                  more about a diagnostic
`;

const checkExamples = `
Examples:
  sluice check orders.yaml
  sluice check gateway.yaml --format json
  sluice check apis/*.yaml --format github --max-warnings 0
  sluice check gateway.yaml --fix
`;

const typesExamples = `
Behind the type of a step stand the metadata known there, and what can fail in it, with where the message goes then.

Examples:
  sluice types orders.yaml
  sluice types gateway.yaml --stream intake
  sluice types orders.yaml --json
`;

const asyncapiExamples = `
Examples:
  sluice asyncapi orders.yaml > orders.asyncapi.yaml
  sluice asyncapi gateway.yaml --api orders --server https://api.example.com
`;

const buildExamples = `
Examples:
  sluice build orders.yaml -o out && node out/gateway.mjs
  sluice build gateway.yaml -o out --minify
  sluice build gateway.yaml --artifact deployed
  sluice build orders.yaml --dump gateway
`;

const gatewayExamples = `
Environment, besides that of every gateway:
  GW_MANAGEMENT_TOKEN    key of this gateway at the management service
  GW_VERIFY_KEY          public Ed25519 key, in PEM: serve only what its holder signed
  GW_CACHE_DIR           where to keep a copy of what is served, to start from while the service is away
  GW_GATEWAY_ID          what it is called in reports (name of the machine and process)

Examples:
  sluice gateway --from https://management.example.com
  sluice build gateway.yaml --artifact deployed && sluice gateway --from deployed
`;

const bloblExamples = `
Examples:
  echo '{"name":"ada"}' | sluice blobl 'root.name = this.name.uppercase()'
  sluice blobl -f orders.blobl < orders.jsonl > mapped.jsonl
  sluice blobl --raw 'root.words = this.split(" ")' < notes.txt
  sluice blobl
`;

const testExamples = `
Examples:
  sluice test orders.yaml
  sluice test apis --format junit > results.xml
  sluice test orders.yaml -r resources.yaml
  sluice test orders_test.yaml --watch
`;

const testConnectionsExamples = `
Nothing is read, published or changed; what cannot be tested that way is named. Variables and secrets come from the
environment, as when a gateway starts. The exit code is 1 when a check fails.

Examples:
  sluice test-connections orders.yaml
  KAFKA=kafka.example.com:9092 sluice test-connections gateway.yaml --timeout 10s
  node --env-file=staging.env $(which sluice) test-connections gateway.yaml --json
`;

const keyExamples = `
Examples:
  sluice key hash --new
  sluice key hash < key.txt
  pass show orders | sluice key hash --password
`;

const runExamples = `
Environment:
  GW_LISTEN              where to serve (127.0.0.1:8080); port 0 picks a free one
  GW_ADMIN_LISTEN        health and states (127.0.0.1:8081)
  GW_STREAMING_ENABLED   true or false, wins over gateway.yaml

Examples:
  sluice run orders.yaml
  GW_LISTEN=127.0.0.1:9000 sluice run gateway.yaml --watch
`;

const serveExamples = `
Environment:
  GW_MANAGEMENT_API_KEYS            keys, with commas between them, each KEY or ORGANISATION:KEY; required
  GW_MANAGEMENT_LISTEN              where to serve (127.0.0.1:3000); port 0 picks a free one
  GW_MANAGEMENT_STREAMING_ENABLED   true or false, wins over management.yaml
  GW_STORE_URL                      sqlite:PATH or postgres://…, wins over management.yaml
  GW_SIGNING_KEY                    a private Ed25519 key in PEM, to sign deployments with

Examples:
  GW_MANAGEMENT_API_KEYS=$(openssl rand -hex 32) sluice serve management.yaml
  GW_MANAGEMENT_API_KEYS=$(openssl rand -hex 32) GW_MANAGEMENT_STREAMING_ENABLED=true sluice serve --all-in-one
`;
