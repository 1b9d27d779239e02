import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./subprocess.schema.json" with { type: "json" };

/** The processor `subprocess`. */
export const subprocessProcessor: ProcessorDescriptor = defineProcessor({
  name: "subprocess",
  schema,
  runtime: { module: "runtime/connectors/subprocess/step.ts", symbol: "subprocess" },
  flow: { kind: "message", effect: { content: "unknown" } },
  mayFail: "the program may fail",
});
