import { findProgram, run } from "./processes.ts";

const promtool = findProgram("promtool");
const isRequired = process.env.CI === "true" || process.env.SLUICE_REQUIRE_BROKERS === "1";

/**
 * Fails where numbers in the text format of Prometheus are not as is custom there. Without `promtool` it fails where all programs are
 * asked for, and does nothing elsewhere.
 */
export async function checkMetrics(text: string): Promise<void> {
  if (promtool === undefined) {
    if (isRequired) throw new Error("promtool is not installed; Debian's package prometheus has it");
    return;
  }
  const { status, stdout, stderr } = await run(promtool, ["check", "metrics"], { input: text });
  if (status !== 0 || stdout + stderr !== "") throw new Error(`promtool: ${stdout}${stderr}`);
}
