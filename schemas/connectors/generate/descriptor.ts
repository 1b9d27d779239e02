import { defineInput, type InputDescriptor, type KnownOptions } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };

/** The input `generate`. */
export const generateInput: InputDescriptor = defineInput({
  name: "generate",
  schema: input,
  runtime: { module: "runtime/connectors/generate/generate.ts", symbol: "generateInput" },
  variants: [
    {
      // Schedules need a library. An interval from the environment may be a schedule.
      when: (options) => !isDuration(options.literal("interval")),
      runtime: { module: "runtime/connectors/generate/scheduled-input.ts", symbol: "scheduledGenerateInput" },
    },
  ],
  rules: ["schedules"],
});

/** Whether an interval is a duration instead of a schedule. */
function isDuration(interval: ReturnType<KnownOptions["literal"]>): boolean {
  return interval !== undefined && /^(@every\s+)?[\d.]*[a-zµμ\d.]*$/.test(String(interval).trim());
}
