// Generates shell completions as scripts that contain all commands and options, so that completing starts no program.

import type { DescribedCommand, DescribedOption } from "./describe-commands.ts";

/** The shells for which there are completions. */
export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** Returns the completion script for a shell. */
export function completionScript(shell: Shell, commands: readonly DescribedCommand[]): string {
  if (shell === "fish") return fishScript(commands);
  return shell === "bash" ? bashScript(commands) : zshScript(commands);
}

/** Returns the key of a command, such as `component init`; empty for the program. */
function keyOf({ path }: DescribedCommand): string {
  return path.slice(1).join(" ");
}

const wordsOf = (
  commands: readonly DescribedCommand[],
  list: (command: DescribedCommand) => readonly string[],
) =>
  commands
    .map((command) => `    ${quoted(keyOf(command))}) echo ${quoted(list(command).join(" "))} ;;\n`)
    .join("");

function flagsOf({ options }: DescribedCommand): readonly string[] {
  return options.flatMap(({ long, short }) => [long, short].filter((flag) => flag !== undefined));
}

/** Returns the cases for `command --option` if a value follows: its choices, or `file` if the value is arbitrary. */
function valueCases(commands: readonly DescribedCommand[]): string {
  return commands
    .flatMap((command) =>
      command.options
        .filter(({ takesValue }) => takesValue)
        .map((option) => {
          const keys = [option.long, option.short]
            .filter((flag) => flag !== undefined)
            .map((flag) => quoted(`${keyOf(command)} ${flag}`.trim()));
          const values = option.choices.length === 0 ? "\\0file" : option.choices.join(" ");
          return `    ${keys.join("|")}) echo ${quoted(values.replace("\\0", ""))} ;;\n`;
        }),
    )
    .join("");
}

/** Returns the proposals for the arguments of a command. If there are none, the scripts propose files. */
function argumentsOf({ below, choices }: DescribedCommand): readonly string[] {
  return below.length === 0 ? choices : below.map(({ name }) => name);
}

/**
 * Returns the functions that bash and zsh share: they find the command before the cursor and the words that may
 * follow.
 */
function helpers(commands: readonly DescribedCommand[]): string {
  return `_sluice_commands() {
  case "$1" in
${wordsOf(commands, argumentsOf)}  esac
}
_sluice_options() {
  case "$1" in
${wordsOf(commands, flagsOf)}  esac
}
_sluice_values() {
  case "$1" in
${valueCases(commands)}  esac
}
_sluice_words() {
  # $1 is the word before the cursor, $2 the word at it, the rest all words between the program and it.
  local previous=$1 current=$2 named= word below
  shift 2
  for word in "$@"; do
    below=" $(_sluice_commands "$named") "
    case "$below" in *" $word "*) named=\${named:+$named }$word ;; esac
  done
  local values=$(_sluice_values "\${named:+$named }$previous")
  if [ -n "$values" ]; then echo "$values"; return; fi
  case "$current" in
    -*) _sluice_options "$named" ;;
    *) below=$(_sluice_commands "$named"); echo "\${below:-file}" ;;
  esac
}
`;
}

function bashScript(commands: readonly DescribedCommand[]): string {
  return `# Completion of sluice for bash: source <(sluice completion bash)
${helpers(commands)}_sluice() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} words
  # In --option=value the sign is a word of its own.
  if [ "$current" = = ]; then
    current=
  elif [ "$previous" = = ]; then
    previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  words=$(_sluice_words "$previous" "$current" "\${COMP_WORDS[@]:1:COMP_CWORD-1}")
  if [ "$words" = file ]; then
    COMPREPLY=($(compgen -f -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -o filenames -o bashdefault -F _sluice sluice
`;
}

function zshScript(commands: readonly DescribedCommand[]): string {
  return `#compdef sluice
# Completion of sluice for zsh: source <(sluice completion zsh), or this text as _sluice in a folder of fpath.
${helpers(commands)}_sluice() {
  local found previous=\${words[CURRENT-1]}
  if compset -P '--*='; then previous=\${IPREFIX%=}; fi
  found=$(_sluice_words "$previous" "\${words[CURRENT]}" "\${(@)words[2,CURRENT-1]}")
  if [ "$found" = file ]; then
    _files
  else
    compadd -- \${=found}
  fi
}
if [ "\${funcstack[1]}" = _sluice ]; then _sluice "$@"; else compdef _sluice sluice; fi
`;
}

function fishScript(commands: readonly DescribedCommand[]): string {
  const lines = commands.flatMap((command) => {
    const names = command.path.slice(1);
    const next = argumentsOf(command);
    const here = [
      ...names.map((name) => `__fish_seen_subcommand_from ${name}`),
      ...(next.length === 0 ? [] : [`not __fish_seen_subcommand_from ${next.join(" ")}`]),
    ].join("; and ");
    const condition = here === "" ? "" : ` -n ${quoted(here)}`;
    const below = command.below.map(
      ({ name, description }) => `complete -c sluice -f${condition} -a ${name} -d ${quoted(description)}`,
    );
    const choices =
      command.choices.length === 0
        ? []
        : [`complete -c sluice -f${condition} -a ${quoted(command.choices.join(" "))}`];
    const inside = names.map((name) => `__fish_seen_subcommand_from ${name}`).join("; and ");
    const options = command.options.map((option) => fishOption(option, inside));
    return [...below, ...choices, ...options];
  });
  return `# Completion of sluice for fish: sluice completion fish | source\n${lines.join("\n")}\n`;
}

function fishOption(
  { long, short, description, takesValue, choices }: DescribedOption,
  inside: string,
): string {
  return [
    "complete -c sluice",
    ...(inside === "" ? [] : [`-n ${quoted(inside)}`]),
    ...(long === undefined ? [] : [`-l ${long.replace(/^--/, "")}`]),
    ...(short === undefined ? [] : [`-s ${short.replace(/^-/, "")}`]),
    ...(takesValue ? ["-r"] : []),
    ...(choices.length === 0 ? [] : [`-f -a ${quoted(choices.join(" "))}`]),
    `-d ${quoted(description)}`,
  ].join(" ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
