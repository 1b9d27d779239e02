// Generates the manual page `sluice(1)` in roff from the definitions of the commands.

import { exitCodeRows } from "../compiler/cli/exit-codes.ts";
import type { DescribedCommand } from "./describe-commands.ts";

/** Returns the text of `sluice.1`. */
export function manualPage(commands: readonly DescribedCommand[], version: string): string {
  const [program, ...others] = commands;
  return [
    `.TH SLUICE 1 "" "sluice ${escaped(version)}" "User Commands"`,
    ".SH NAME",
    `sluice \\- ${escaped((program?.description ?? "").replace(/\.$/, ""))}`,
    ".SH SYNOPSIS",
    ".B sluice",
    ".I command",
    "[\\fIoptions\\fR]",
    ".SH COMMANDS",
    ...others.flatMap(section),
    ".SH EXIT STATUS",
    ...exitCodeRows.flatMap(({ code, meaning }) => [
      ".TP",
      String(code),
      escaped(meaning.replaceAll("`", "")),
    ]),
    ".SH ENVIRONMENT",
    ...[
      ".TP",
      ".B SLUICE_DEBUG",
      "1 shows the stack of a failure.",
      ".TP",
      ".B NO_COLOR",
      "Any value turns colours off.",
    ],
    "",
  ].join("\n");
}

function section({ path, arguments: words, description, options }: DescribedCommand): readonly string[] {
  return [
    `.SS "${escaped([...path, words].filter((part) => part !== "").join(" "))}"`,
    escaped(description),
    ...options.flatMap((option) => [
      ".TP",
      `\\fB${escaped(option.flags)}\\fR`,
      escaped(
        option.choices.length === 0
          ? option.description
          : `${option.description} One of ${option.choices.join(", ")}.`,
      ),
    ]),
  ];
}

/** Escapes a text so that hyphens stay hyphens and dots at the start of a line are not requests. */
function escaped(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll('"', "\\(dq")
    .replaceAll(/^(?=[.'])/gm, "\\&");
}
