import { defineInput, type InputDescriptor, type OptionRule } from "../../component.ts";
import input from "./input.schema.json" with { type: "json" };

/** Messages to join are held until all inputs have ended, so their acknowledgements cannot wait for delivery. */
const acknowledgesEarly: OptionRule = (options) =>
  isJoined(options)
    ? [
        ...(options.isSet("sharded_join") && !options.literal("sharded_join.id_path")
          ? [
              {
                field: "sharded_join",
                message: "`sharded_join` needs `id_path`.",
                hint: "Add the path of the identifier, such as `id_path: user.id`.",
              },
            ]
          : []),
        {
          field: "sharded_join",
          message: "`sharded_join` acknowledges messages before the joined ones are delivered.",
          hint: "Join what can be read again from its beginning, such as files and tables.",
          severity: "warning",
        },
      ]
    : [];

/** Whether the messages of the inputs are joined by an identifier. */
function isJoined(options: Parameters<OptionRule>[0]): boolean {
  const type = options.literal("sharded_join.type");
  return type !== undefined && type !== "none";
}

/** The input `sequence`. */
export const sequenceInput: InputDescriptor = defineInput({
  name: "sequence",
  schema: input,
  runtime: { module: "runtime/connectors/sequence/input.ts", symbol: "sequenceInput" },
  variants: [
    {
      when: isJoined,
      runtime: { module: "runtime/connectors/sequence/joined-input.ts", symbol: "joinedSequenceInput" },
    },
  ],
  rules: [acknowledgesEarly],
});
