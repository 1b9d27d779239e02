// What of a stream behaves alike in two plans, as digests: a gateway that gets a new version leaves alone what has equal
// ones. They say nothing of the runtime, which has a digest of its own.

import { createHash } from "node:crypto";
import { servesClients } from "../../schemas/component.ts";
import { canonicalText } from "./canonical.ts";
import { asksForSource } from "./failure-sources.ts";
import type { ApiPlan, ComponentPlan, StreamPlan, ValuePlan } from "./plan.ts";
import { valuesWithin } from "./values.ts";

/** Hex sha256. Equal digests mean equal behaviour; lines that move change none. */
export interface StreamDigests {
  readonly input: string;
  /** Of the processors, and of what becomes of messages that fail. */
  readonly pipeline: string;
  readonly output: string;
  /** Of what its components share. */
  readonly resources: string;
  /** Of the output's endpoints as clients see them: transport, path, verbs, format. */
  readonly shape: string;
}

/** The digests of each stream, by name. */
export function streamDigests(api: ApiPlan): ReadonlyMap<string, StreamDigests> {
  return new Map(api.streams.map((stream) => [stream.name, digestsOf(stream, api)]));
}

function digestsOf(stream: StreamPlan, { listenPath, host }: ApiPlan): StreamDigests {
  const { input, pipeline, output, errorHandling, threads, resources } = stream;
  // Instances are made for the variables that any part reads, and processors name themselves when any script asks.
  const namesSources = asksForSource(stream);
  const common = { variables: stream.variables, namesSources, spread: stream.spread };
  const reading = stream.leased ? { leased: true } : {};
  const digestOf = (part: unknown) =>
    createHash("sha256").update(canonicalText(part, { namesSources })).digest("hex");
  return {
    input: digestOf({ input, ...common, ...reading }),
    pipeline: digestOf({ pipeline, threads, errorHandling, ...common }),
    output: digestOf({ output, ...common }),
    resources: digestOf(resources),
    shape: digestOf({ listenPath, host, variables: stream.variables, endpoints: endpointsIn(output) }),
  };
}

/** What clients see of an endpoint; all else of it concerns the next message, not the connection. */
const seenByClients: ReadonlySet<string> = new Set([
  ...["path", "stream_path", "ws_path", "allowed_verbs"],
  ...["stream_format", "ws_message_type", "message_type", "ack", "distribution"],
]);

/** The endpoints of an output, in the order written. */
function endpointsIn(output: ComponentPlan) {
  return [...valuesWithin(output)].filter(isEndpoint).map(({ name, options }) => ({
    name,
    options: options.fields
      .filter((field) => seenByClients.has(field.name))
      .map(({ name: option, value }) => [option, value])
      .sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
  }));
}

function isEndpoint(value: ValuePlan): value is ComponentPlan {
  const component = value.kind === "Component" ? value.descriptor : undefined;
  return component !== undefined && servesClients(component);
}
