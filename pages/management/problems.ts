// What is wrong with a definition as a list, each leading to its place.

import { byId, element } from "../kit/elements.ts";
import type { Problem } from "./ask.ts";
import type { Checked } from "./checking.ts";

/** Shows what came of looking at the definition. */
export function showProblems({ problems, refusal }: Checked, visit: (problem: Problem) => void): void {
  const summary = byId("summary");
  summary.textContent = refusal ?? summarise(problems);
  summary.className = refusal !== undefined || hasErrors(problems) ? "bad" : "good";
  const items = problems.map((problem) => {
    const { line, column, code, message, hint, severity } = problem;
    const lead = element("button", `${line}:${column} ${message}`, element("small", `${severity} ${code}`));
    if (hint !== undefined) lead.append(element("small", hint));
    lead.type = "button";
    lead.className = severity;
    lead.addEventListener("click", () => visit(problem));
    return element("li", lead);
  });
  byId("problems").replaceChildren(...items);
}

/** Whether anything keeps the definition from being taken. */
export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some(({ severity }) => severity === "error");
}

function summarise(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const others = problems.length - errors;
  if (problems.length === 0) return "Nothing is wrong.";
  const count = (number: number, word: string) => `${number} ${word}${number === 1 ? "" : "s"}`;
  return [errors > 0 ? count(errors, "error") : "", others > 0 ? count(others, "warning") : ""]
    .filter((text) => text !== "")
    .join(", ");
}
