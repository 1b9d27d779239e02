// Parses arguments as the command line does, and does nothing: exit code 2 and a message where they are wrong.

import { type Command, CommanderError } from "commander";
import { createSluice } from "../../cli/program.ts";

function withoutWork(command: Command): void {
  command.action(() => undefined);
  for (const below of command.commands) withoutWork(below);
}

const program = createSluice();
for (const command of program.commands) withoutWork(command);
try {
  await program.parseAsync(process.argv);
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = 2;
}
