// The operations at `/streams`: the state of streams, and commands of operators.

import { type ManagedOperation, managed } from "../operation.ts";
import { commandStream, listStreams, type StreamCommand } from "../streams/streams.ts";

const shared = { tag: "Streams", isStreaming: true, isPerApi: true } as const;

const summaries: Readonly<Record<StreamCommand, string>> = {
  start: "Starts a stream that was stopped.",
  stop: "Stops a stream at all gateways, until it is started again; what is in flight is finished.",
  restart: "Stops a stream at all gateways and starts it again.",
};

function command(name: StreamCommand): ManagedOperation {
  return managed({
    ...shared,
    method: "POST",
    path: `/streams/{api}/{stream}/${name}`,
    operationId: `${name}Stream`,
    summary: summaries[name],
    permission: "write",
    answer: { kind: "written", message: "`Stream updated`." },
    refusals: [403, 404],
    async run({ caller, param }, services) {
      await commandStream(services, caller, { api: param("api"), stream: param("stream") }, name);
      return { Status: "OK", Message: "Stream updated", Meta: null };
    },
  });
}

export const streamOperations: readonly ManagedOperation[] = [
  managed({
    ...shared,
    method: "GET",
    path: "/streams",
    operationId: "listStreams",
    summary: "Lists the deployed streams, with the state that gateways report for each.",
    permission: "read",
    parameters: [
      { name: "api", description: "Only streams of the API with this id.", schema: { type: "string" } },
    ],
    answer: {
      kind: "other",
      description: "All streams, with their states, counters and last errors.",
      schema: {
        type: "object",
        required: ["Data"],
        properties: { Data: { type: "array", items: { type: "object" } } },
      },
    },
    async run({ caller, query }, { store }) {
      const api = query.get("api");
      const all = await listStreams(store, caller);
      return { Data: api === undefined ? all : all.filter(({ api_id: id }) => id === api) };
    },
  }),
  command("start"),
  command("stop"),
  command("restart"),
];
