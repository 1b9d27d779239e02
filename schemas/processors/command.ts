import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./command.schema.json" with { type: "json" };

/** The processor `command`. */
export const commandProcessor: ProcessorDescriptor = defineProcessor({
  name: "command",
  schema,
  runtime: { module: "runtime/connectors/subprocess/command.ts", symbol: "command" },
  flow: { kind: "message", effect: { content: "unknown" } },
  mayFail: "the program may fail",
});
