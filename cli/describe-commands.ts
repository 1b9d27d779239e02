// Describes the commands for completions and the manual page, based on the definitions that parse arguments.

import type { Command, Option } from "commander";

/** A command, or the program itself. */
export interface DescribedCommand {
  /** The words of the command: `sluice component init`; `sluice` for the program. */
  readonly path: readonly string[];
  readonly description: string;
  /** `<documents...> [folder]` */
  readonly arguments: string;
  readonly options: readonly DescribedOption[];
  /** The values of its first argument, if that is one of a few words. */
  readonly choices: readonly string[];
  /** The subcommands. */
  readonly below: readonly { readonly name: string; readonly description: string }[];
}

/** An option with its flags. */
export interface DescribedOption {
  readonly long: string | undefined;
  readonly short: string | undefined;
  /** `--format <format>` as help shows it. */
  readonly flags: string;
  readonly description: string;
  /** Whether the option takes a value. */
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

/** Returns the program and all its commands, in the order of their definitions. */
export function describeCommands(program: Command): readonly DescribedCommand[] {
  return walk(program, []);
}

function walk(command: Command, above: readonly string[]): readonly DescribedCommand[] {
  const path = [...above, command.name()];
  const help = command.createHelp();
  const below = command.commands.map((each) => ({ name: each.name(), description: each.description() }));
  const options = help.visibleOptions(command).map(describeOption);
  const described = {
    ...{ path, options, below, description: command.description() },
    choices: command.registeredArguments[0]?.argChoices ?? [],
    arguments: command.registeredArguments.map((each) => nameOf(each.name(), each.required, each.variadic)),
  };
  return [
    { ...described, arguments: described.arguments.join(" ") },
    ...command.commands.flatMap((each) => walk(each, path)),
  ];

  function nameOf(name: string, required: boolean, variadic: boolean): string {
    const text = `${name}${variadic ? "..." : ""}`;
    return required ? `<${text}>` : `[${text}]`;
  }
}

function describeOption({
  long,
  short,
  flags,
  description,
  required,
  optional,
  argChoices,
}: Option): DescribedOption {
  return { long, short, flags, description, takesValue: required || optional, choices: argChoices ?? [] };
}
