import { defineInput, type InputDescriptor, oneOf } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };

const probe = { module: "runtime/connectors/sql/probe.ts", symbol: "probeSql" };

/** The input `sql_select`. */
export const sqlSelectInput: InputDescriptor = defineInput({
  name: "sql_select",
  schema: input,
  ...oneOf("driver", [
    ["postgres", "runtime/connectors/sql/select/select.ts", "postgresSelectInput"],
    ["sqlite", "runtime/connectors/sql/select/select.ts", "sqliteSelectInput"],
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
