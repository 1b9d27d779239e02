import type { Outcome } from "./outcome.ts";

/** Returns the line for a suite that has ended. */
export function renderLine({ suite, passed, failed, skipped, seconds }: Outcome): string {
  const mark = failed > 0 ? "FAIL" : skipped > 0 && passed === 0 ? "skip" : "ok";
  const counts = [
    passed > 0 ? `${passed} passed` : "",
    failed > 0 ? `${failed} failed` : "",
    skipped > 0 ? `${skipped} skipped` : "",
  ].filter((count) => count !== "");
  return `${mark.padEnd(5)} ${suite.name}  ${counts.join(", ")}  ${seconds.toFixed(1)} s`;
}

/**
 * Returns the text after the lines: the output of each failed suite, the names of skipped ones, and the
 * totals in the last line.
 */
export function renderClosing(outcomes: readonly Outcome[]): string {
  const failures = outcomes
    .filter(({ failed }) => failed > 0)
    .map(({ suite, remark, output }) =>
      `\nFAIL ${suite.name}${remark === undefined ? "" : `: ${remark}`}\n${output}`.trimEnd(),
    );
  const skips = outcomes
    .filter(({ skipped }) => skipped > 0)
    .map(({ suite, skipped, remark }) => `skipped ${suite.name}: ${remark ?? `${skipped} of its tests`}`);
  const sum = (key: "passed" | "failed" | "skipped") =>
    outcomes.reduce((total, outcome) => total + outcome[key], 0);
  const counts = `${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`;
  return [...failures, "", ...skips, counts].join("\n");
}
