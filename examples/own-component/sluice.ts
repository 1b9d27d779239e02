// What this package brings. The compiler runs this module when a `gateway.yaml` names the package; a gateway never does.

import { defineComponents, defineInput, defineMethod, defineOutput, parameter } from "sluice/component";

const address = {
  type: "string",
  description: "Address of the other side: `tcp://host:port`, or `unix:///path/to/socket`.",
  pattern: "^(tcp://[^/]+:\\d+|unix:///.+|.*\\$\\{.*)$",
  "x-expects": "an address such as `tcp://localhost:7000` or `unix:///run/lines.sock`",
  examples: ["tcp://localhost:7000"],
};

const lineSocketInput = defineInput({
  name: "line_socket",
  schema: {
    title: "LineSocketInput",
    description:
      "Reads lines from a socket; each line is a message. A line is acknowledged once it is delivered.",
    type: "object",
    additionalProperties: false,
    required: ["address"],
    properties: {
      address,
      acknowledge: {
        type: "string",
        description: "A line to answer with once a line is delivered. Without it, nothing is answered.",
        default: "",
      },
      reconnect_after: {
        type: "string",
        description: "Longest pause before the next attempt to connect.",
        default: "5s",
        "x-unit": "duration",
      },
    },
    "x-metadata": { line_socket_number: { type: "integer" } },
  },
  runtime: { module: "runtime/input.ts", symbol: "lineSocketInput" },
  division: {
    isDivided: () => false,
    otherwise: {
      clause: "connects to the socket and reads its lines",
      hint: "Run one gateway, or have the other side divide the lines.",
    },
  },
  rules: [
    (options) =>
      options.literal("acknowledge") === "\n"
        ? [
            {
              field: "acknowledge",
              message: "an answer holds no line break.",
              hint: "Leave the line break out.",
            },
          ]
        : [],
  ],
});

const lineSocketOutput = defineOutput({
  name: "line_socket",
  schema: {
    title: "LineSocketOutput",
    description: "Writes each message to a socket as a line.",
    type: "object",
    additionalProperties: false,
    required: ["address"],
    properties: {
      address,
      prefix: {
        type: "string",
        description: "Text in front of each line.",
        default: "",
        "x-text": "interpolated",
      },
    },
  },
  runtime: { module: "runtime/output.ts", symbol: "lineSocketOutput" },
});

const masked = defineMethod({
  name: "masked",
  doc: "Replaces all characters of a text but the last ones by `*`.",
  targets: ["string"],
  args: [parameter("keep", "integer", 4n)],
  returns: "string",
  canFail: false,
  runtime: { module: "runtime/masked.ts", symbol: "masked" },
});

export default defineComponents({
  components: [lineSocketInput, lineSocketOutput],
  builtins: [masked],
});
