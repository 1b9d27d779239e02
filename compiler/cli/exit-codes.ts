// Exit codes of commands, and the messages about misuse. Misuse has a number that no outcome of a command has, so that
// scripts can distinguish them.

import type { OutputConfiguration } from "commander";

/** The outcomes of all commands. */
export const exitCodes = {
  done: 0,
  failed: 1,
  /** Of `sluice plan` only, as in other tools with a `plan` command. */
  changes: 2,
  /** `EX_USAGE` of sysexits.h: nothing was done. */
  misuse: 64,
} as const;

/** A row of the table of exit codes. */
export interface ExitCodeRow {
  readonly code: number;
  readonly meaning: string;
}

/** The table in the manual and the help of commands. */
export const exitCodeRows: readonly ExitCodeRow[] = [
  {
    code: exitCodes.done,
    meaning: "Done. A command that serves was ended by SIGTERM, SIGINT, SIGHUP or its own key.",
  },
  {
    code: exitCodes.failed,
    meaning:
      "Documents have errors, a check or a test failed, a file cannot be read or written, a service cannot be reached or refused, or a gateway or service cannot start.",
  },
  { code: exitCodes.changes, meaning: "`sluice plan` found changes. No other command ends with it." },
  {
    code: exitCodes.misuse,
    meaning:
      "Misuse: an unknown command, option, name or value, a missing argument or variable. Nothing was done.",
  },
];

/** Prints a line about misuse. Returns the exit code. */
export function misuse(text: string): number {
  process.stderr.write(`sluice: ${text}\n`);
  return exitCodes.misuse;
}

/**
 * Joins commander's two-line errors into one line in the format of all messages for people. If commander suggests
 * nothing, the line refers to the help of the command. Omits surplus arguments and values of unknown options, which may
 * be secrets.
 */
export function misuseOf(command: string): OutputConfiguration {
  return {
    outputError(text, write) {
      const line = text
        .trim()
        .replace(/^error: /, "")
        .replaceAll("\n", " ")
        .replace(/\.$/, "")
        .replace(/^(too many arguments .{0,200}? but got \d+): .*$/s, "$1")
        .replace(/^(unknown option '[^'=]*)=.*'/s, "$1'")
        .replace(/^(unknown command) '.*'$/s, command === "sluice key" ? "$1" : "$&");
      write(`sluice: ${line}${/\(Did you mean .+\)$/.test(line) ? "" : `; see \`${command} --help\``}\n`);
    },
  };
}
