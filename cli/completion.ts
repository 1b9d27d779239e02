// Defines `sluice completion` and `sluice man`, which describe the other commands.

import { Argument, type Command } from "commander";
import { version } from "../compiler/cli/package-root.ts";
import { subcommand } from "../compiler/cli/program.ts";
import { type Shell, shells } from "./completion-scripts.ts";

/** Adds `completion` and `man` to the program. */
export function addCompletion(program: Command): void {
  subcommand(program, "completion", "Print the completions of a shell, for it to read when it starts.")
    .addArgument(new Argument("<shell>", "The shell.").choices(shells))
    .addHelpText("after", completionExamples)
    .action(async (shell: Shell) => {
      const [{ describeCommands }, { completionScript }] = await Promise.all([
        import("./describe-commands.ts"),
        import("./completion-scripts.ts"),
      ]);
      process.stdout.write(completionScript(shell, describeCommands(program)));
    });
  subcommand(program, "man", "Print the manual page.")
    .addHelpText("after", "\nExamples:\n  sluice man | man -l -\n")
    .action(async () => {
      const [{ describeCommands }, { manualPage }] = await Promise.all([
        import("./describe-commands.ts"),
        import("./manual-page.ts"),
      ]);
      process.stdout.write(manualPage(describeCommands(program), version()));
    });
}

/** Examples in the help of `sluice completion`. */
const completionExamples = `
Examples:
  echo 'source <(sluice completion bash)' >> ~/.bashrc
  echo 'source <(sluice completion zsh)' >> ~/.zshrc
  sluice completion fish > ~/.config/fish/completions/sluice.fish
`;
