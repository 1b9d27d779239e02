// Asks questions at a terminal. Without a terminal, a missing option is an error that names the option.

import { exitCodes } from "../../compiler/cli/exit-codes.ts";
import { ScaffoldError } from "./add-to-document.ts";

/** Asks for a text. `option`: the option that would have supplied it. */
export async function ask(option: string, question: string, example: string): Promise<string> {
  requireTerminal(option);
  const { isCancel, text } = await import("@clack/prompts");
  const answer = await text({
    message: question,
    placeholder: example,
    validate: (value = "") => (value.trim() === "" ? "A name is required." : undefined),
  });
  if (isCancel(answer)) throw new ScaffoldError("nothing was written");
  return answer.trim();
}

/** Asks the user to choose one of several values. */
export async function choose(option: string, question: string, choices: readonly string[]): Promise<string> {
  requireTerminal(option);
  const { isCancel, select } = await import("@clack/prompts");
  const answer = await select({
    message: question,
    options: choices.map((value) => ({ value, label: value })),
  });
  if (isCancel(answer)) throw new ScaffoldError("nothing was written");
  return answer;
}

function requireTerminal(option: string): void {
  if (process.stdin.isTTY === true && process.stdout.isTTY === true) return;
  const named = option.startsWith("<") ? `argument ${option}` : `option --${option}`;
  throw new ScaffoldError(`${named} is missing, and there is no terminal to ask at`, exitCodes.misuse);
}
