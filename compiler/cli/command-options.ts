// Options of commands: those that several share, and what a command gets once commander has read them.

import { InvalidArgumentError, Option } from "commander";
import { parseDuration } from "../../schemas/duration.ts";
import type { OutputFormat, WarningLimit } from "./diagnostics.ts";
import type { ShippingOptions } from "./shipping.ts";

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
  readonly view: "gateway" | "client";
  readonly withBrokers?: boolean;
}

/** What `sluice test-connections` was told. */
export interface TestConnectionsOptions {
  readonly json?: boolean;
  /** Milliseconds. */
  readonly timeout: number;
}

/** What commands with `--set` were told: the set that one is about that names no documents. */
export interface SetOption {
  readonly set?: string;
}

/** What `sluice build` was told. */
export interface BuildOptions extends WarningLimit, ShippingOptions {
  /** Given unless there is `dump` or `artifact`. */
  readonly output?: string;
  readonly minify?: boolean;
  /** Writes one file besides that needs no Node. */
  readonly executable?: boolean;
  /** The program of Node inside it. */
  readonly node?: string;
  /** A folder; then there is none of the others. */
  readonly artifact?: string;
  /** The number of that deployment. */
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
    "The gateway.yaml whose `components` count; that of the working directory by default.",
  );
}

/** `--max-warnings` */
export function maxWarningsOption(): Option {
  return countOption("--max-warnings <number>", "Fail if there are more warnings than this.");
}

/** `--number` of a deployment. Up to 15 digits: a time in milliseconds will do. */
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
    // Registry, path, tag and digest as in the specification of OCI distribution.
    if (!/^[a-zA-Z0-9][\w.\-/:@]{0,254}$/.test(text))
      throw new InvalidArgumentError("Expected a name such as registry.example.com/orders:1.2.");
    return text;
  });
}

/** An option that takes a whole number. */
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

/** An option that takes a duration, in milliseconds. */
export function durationOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text) => {
    const milliseconds = parseDuration(text) ?? 0;
    if (milliseconds >= 1 && milliseconds < 2 ** 31) return milliseconds;
    throw new InvalidArgumentError("Expected a duration such as 5s or 500ms.");
  });
}
