import { defineComponents, defineInput, defineMethod, defineProcessor, optional } from "sluice/component";

const lines = defineInput({
  name: "own_lines",
  aliases: ["own_line"],
  schema: {
    type: "object",
    description: "Lines of text.",
    additionalProperties: false,
    required: ["address"],
    properties: {
      address: { type: "string", description: "Where they come from." },
      inner: { $ref: "#" },
    },
    "x-metadata": { own_number: { type: "integer" } },
  },
  runtime: { module: "runtime.ts", symbol: "lines" },
  rules: [
    (options) =>
      options.literal("address") === "nowhere"
        ? [{ field: "address", message: "there is nothing at `nowhere`.", hint: "Name another address." }]
        : [],
  ],
});

const upper = defineProcessor({
  name: "own_upper",
  schema: { type: "object", additionalProperties: false, properties: { fails: { type: "boolean" } } },
  flow: { kind: "message", effect: { content: "object", metadata: ["own_upper"] } },
  mayFail: (options) => (options.literal("fails") === true ? "the option says that it fails" : undefined),
  runtime: { module: "runtime.ts", symbol: "upper" },
});

const shout = defineMethod({
  name: "shout",
  doc: "Makes a text loud.",
  targets: ["string"],
  args: [optional("times", "integer")],
  returns: "string",
  canFail: false,
  runtime: { module: "runtime.ts", symbol: "shout" },
});

export default defineComponents({ components: [lines, upper], builtins: [shout] });
