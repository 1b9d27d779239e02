import { findProgram, run } from "./processes.ts";

const promtool = findProgram("promtool");
const isRequired = process.env.CI === "true" || process.env.SLUICE_REQUIRE_BROKERS === "1";

/**
 * Throws if metrics in the Prometheus text format violate its conventions. Without `promtool` it throws if all programs
 * are required, and otherwise does nothing.
 */
export async function checkMetrics(text: string): Promise<void> {
  if (promtool === undefined) {
    if (isRequired) throw new Error("promtool is not installed; Debian's package prometheus has it");
    return;
  }
  const { status, stdout, stderr } = await run(promtool, ["check", "metrics"], { input: text });
  if (status !== 0 || stdout + stderr !== "") throw new Error(`promtool: ${stdout}${stderr}`);
}
