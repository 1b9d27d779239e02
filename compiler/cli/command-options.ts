// Options that several commands share, and the types of parsed options.

import { InvalidArgumentError, Option } from "commander";
import { parseDuration } from "../../schemas/duration.ts";
import type { OutputFormat, WarningLimit } from "./diagnostics.ts";
import type { ShippingOptions } from "./shipping.ts";

/** Options of `sluice check`. */
export interface CheckCommandOptions extends WarningLimit {
  readonly fix?: boolean;
  readonly dryRun?: boolean;
  readonly format: OutputFormat;
}

/** Options of `sluice types`. */
export interface TypesOptions {
  readonly stream?: string;
  readonly json?: boolean;
}

/** Options of `sluice asyncapi`. */
export interface AsyncapiOptions {
  readonly api?: string;
  readonly server?: readonly string[];
  readonly json?: boolean;
  readonly view: "gateway" | "client";
  readonly withBrokers?: boolean;
}

/** Options of `sluice test-connections`. */
export interface TestConnectionsOptions {
  readonly json?: boolean;
  /** Milliseconds. */
  readonly timeout: number;
}

/** Options of commands with `--set`: the set to use for commands that take no documents. */
export interface SetOption {
  readonly set?: string;
}

/** Options of `sluice build`. */
export interface BuildOptions extends WarningLimit, ShippingOptions {
  /** Set unless `dump` or `artifact` is. */
  readonly output?: string;
  readonly minify?: boolean;
  /** Whether to write an additional file that needs no Node. */
  readonly executable?: boolean;
  /** The Node program to put into the executable. */
  readonly node?: string;
  /** A folder. If set, the other outputs are not. */
  readonly artifact?: string;
  /** The number of the deployment in `artifact`. */
  readonly number?: number;
  readonly dump?: "plan" | "gateway" | "types";
  readonly format: OutputFormat;
}

/** `--format` */
export function formatOption(): Option {
  return new Option("--format <format>", "Output format of diagnostics.")
    .choices(["pretty", "json", "sarif", "github"])
    .default("pretty");
}

/** `--set` */
export function setOption(): Option {
  return new Option(
    "--set <file>",
    "The gateway.yaml whose `components` are available; that of the working directory by default.",
  );
}

/** `--max-warnings` */
export function maxWarningsOption(): Option {
  return countOption("--max-warnings <number>", "Fail if there are more warnings than this.");
}

/** `--number` of a deployment. Up to 15 digits, enough for a time in milliseconds. */
export function numberOption(): Option {
  return new Option(
    "--number <number>",
    "With --artifact: the number of the deployment; one more than that in the folder by default.",
  ).argParser((text) => {
    if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError("Expected a whole number from 1.");
    return Number(text);
  });
}

/** `--image` */
export function imageOption(): Option {
  return new Option(
    "--image <name>",
    "Name of the image, such as registry.example.com/orders:1.2.",
  ).argParser((text) => {
    // Registry, path, tag and digest as in the OCI distribution specification.
    if (!/^[a-zA-Z0-9][\w.\-/:@]{0,254}$/.test(text))
      throw new InvalidArgumentError("Expected a name such as registry.example.com/orders:1.2.");
    return text;
  });
}

/** Creates an option that takes a whole number. */
export function countOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text) => {
    if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("Expected an integer such as 0.");
    return Number(text);
  });
}

/** `--timeout`, in milliseconds. */
export function timeoutOption(): Option {
  return durationOption("--timeout <duration>", "Timeout of each check.").default(5000, "5s");
}

/** Creates an option that takes a duration, converted to milliseconds. */
export function durationOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text) => {
    const milliseconds = parseDuration(text) ?? 0;
    if (milliseconds >= 1 && milliseconds < 2 ** 31) return milliseconds;
    throw new InvalidArgumentError("Expected a duration such as 5s or 500ms.");
  });
}
