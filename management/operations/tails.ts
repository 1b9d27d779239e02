// The operations at `/streams/{api}/{stream}/tail`: the messages that pass through a stream.

import { refusal } from "../../runtime/rest/answers.ts";
import type { OperationRequest } from "../../runtime/rest/operation.ts";
import { permitted } from "../access/rights.ts";
import { noteChange } from "../audit/audit.ts";
import { findApi } from "../definitions/apis.ts";
import { type ManagedOperation, type ManagementServices, managed } from "../operation.ts";
import { missingStream, requireStream } from "../streams/streams.ts";

/** Requires `write`: messages are content, which users who may only read definitions and states must not see. */
const shared = { tag: "Streams", isStreaming: true, isPerApi: true, permission: "write" } as const;
const path = "/streams/{api}/{stream}/tail";

/** The maximum number of seconds that a request may wait for the next message. */
const longestWait = 15;

/** Returns the API and the stream in a path. Rejects with 403 if watching messages is switched off, and with 404. */
async function streamOf(
  { caller, param }: Pick<OperationRequest, "caller" | "param">,
  { store, settings }: ManagementServices,
): Promise<readonly [api: string, stream: string]> {
  if (settings.tail === undefined)
    throw refusal(403, "Tailing messages is disabled by `tail.enabled` in management.yaml.");
  const api = await findApi(store, caller.organisation, param("api"));
  const { id } = permitted(caller, "write", api, refusal(404, missingStream));
  return [id, param("stream")];
}

export const tailOperations: readonly ManagedOperation[] = [
  managed({
    ...shared,
    method: "POST",
    path,
    operationId: "tailStream",
    summary: "Starts to tail the messages that a stream writes. The audit log records it.",
    answer: { kind: "written", message: "`Tail begun`." },
    refusals: [403, 404, 429],
    async run(request, services) {
      const [object, detail] = await streamOf(request, services);
      await requireStream(services.store, object, detail);
      services.tails.begin(request.organisation, object, detail);
      const now = new Date().toISOString();
      await services.store.transact((connection) =>
        noteChange(connection, request.caller, { action: "tailStream", object, detail }, now),
      );
      return { Status: "OK", Message: "Tail begun", Meta: null };
    },
  }),
  managed({
    ...shared,
    method: "GET",
    path,
    operationId: "readTail",
    summary:
      "Returns messages of a stream that is being tailed. The tail ends 20 seconds after the last request.",
    parameters: [
      {
        name: "after",
        description: "`number` of the last message that the client has received.",
        schema: { type: "integer", minimum: 0, default: 0 },
      },
      {
        name: "wait",
        description: "Seconds to wait for a message.",
        schema: { type: "integer", minimum: 0, maximum: longestWait, default: 0 },
      },
    ],
    answer: {
      kind: "other",
      description: "The messages in order, and the number of messages that were not shown.",
      schema: {
        type: "object",
        required: ["Data", "Missed"],
        properties: { Data: { type: "array", items: { type: "object" } }, Missed: { type: "integer" } },
      },
    },
    refusals: [403, 404],
    async run(request, services) {
      const stream = await streamOf(request, services);
      const { query, signal } = request;
      const number = (name: string) => Number(query.get(name) ?? 0);
      const wait = { wait: number("wait") * 1000, signal: signal() };
      const shown = await services.tails.read(stream, number("after"), wait);
      if (shown === undefined) throw refusal(404, "This stream is not being tailed.");
      return { Data: shown.messages, Missed: shown.missed };
    },
  }),
];
