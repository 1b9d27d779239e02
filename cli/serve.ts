// Defines `sluice serve` and its help. Its implementation is loaded when it runs.

import type { Command } from "commander";
import { formatOption } from "../compiler/cli/command-options.ts";
import { subcommand } from "../compiler/cli/program.ts";
import type { ServeCommandOptions } from "./run-serve.ts";

/** Adds `serve` to the program. */
export function addServe(program: Command): void {
  subcommand(program, "serve", "Serve the management API: create, change and deploy APIs over HTTP.")
    .argument("[settings]", "A management.yaml. Without it, defaults and the environment apply.")
    .option("--all-in-one", "Also run the gateway and its portal in this process.")
    .addOption(formatOption())
    .addHelpText("after", serveExamples)
    .action(async (path: string | undefined, options: ServeCommandOptions) => {
      const { runServe } = await import("./run-serve.ts");
      process.exitCode = await runServe(path, options);
    });
}

/** Help text of `sluice serve`. */
const serveExamples = `
Environment:
  GW_MANAGEMENT_API_KEYS            comma-separated keys, each KEY or ORGANISATION:KEY; required
  GW_MANAGEMENT_LISTEN              address to serve at (127.0.0.1:3000); port 0 chooses a free port
  GW_MANAGEMENT_STREAMING_ENABLED   true or false; overrides management.yaml
  GW_STORE_URL                      sqlite:PATH or postgres://…; overrides management.yaml
  GW_SIGNING_KEY                    private Ed25519 key in PEM that signs deployments

Examples:
  GW_MANAGEMENT_API_KEYS=$(openssl rand -hex 32) sluice serve management.yaml
  GW_MANAGEMENT_API_KEYS=$(openssl rand -hex 32) GW_MANAGEMENT_STREAMING_ENABLED=true sluice serve --all-in-one
`;
