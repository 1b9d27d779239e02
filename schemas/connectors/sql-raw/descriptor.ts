import {
  defineInput,
  defineOutput,
  type InputDescriptor,
  type OutputDescriptor,
  oneOf,
} from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };
import output from "./output.schema.json" with { type: "json" };

const probe = { module: "runtime/connectors/sql/probe.ts", symbol: "probeSql" };

/** The input `sql_raw`. */
export const sqlRawInput: InputDescriptor = defineInput({
  name: "sql_raw",
  schema: input,
  ...oneOf("driver", [
    ["postgres", "runtime/connectors/sql/raw/raw.ts", "postgresRawInput"],
    ["sqlite", "runtime/connectors/sql/raw/raw.ts", "sqliteRawInput"],
  ]),
  probe,
  division: {
    isDivided: () => false,
    otherwise: {
      clause: "reads all these rows",
      hint: "Run this stream in one replica, or make its processing idempotent.",
    },
  },
});

/** The output `sql_raw`. */
export const sqlRawOutput: OutputDescriptor = defineOutput({
  name: "sql_raw",
  schema: output,
  ...oneOf("driver", [
    ["postgres", "runtime/connectors/sql/raw/raw.ts", "postgresRawOutput"],
    ["sqlite", "runtime/connectors/sql/raw/raw.ts", "sqliteRawOutput"],
  ]),
  probe,
});
