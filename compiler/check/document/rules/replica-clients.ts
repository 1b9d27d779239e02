// Rules about clients of one stream that are connected to different replicas.

import type { Report } from "../../../diagnostics/sink.ts";
import { endsOf, servesClients } from "../../../model/components.ts";
import { type Option, optionsNamed } from "../../../model/options.ts";
import type { SetModel } from "../../../model/set.ts";
import { isDivided } from "../../../model/written-options.ts";
import type { ComponentNode, StreamNode } from "../../../trees/api.ts";
import { literalText } from "../../../trees/fields.ts";

/**
 * Reports clients that miss messages because the messages stay at another replica, in sets made for several replicas:
 * messages from requests (also through channels), and messages that a broker sent to another replica.
 */
export function checkClientsOfReplicas({ process, served }: SetModel, report: Report): void {
  const evidence = process.replicasSpan;
  if (evidence === undefined) return;
  const related = { span: evidence, message: "Replicas share the messages of this." };
  const streams = served.flatMap((api) => api.streams);
  const hasRedis = process.redis !== undefined;
  const fromRequests = streamsFromRequests(streams);
  for (const stream of streams) {
    const [client] = endsOf(stream, "output").filter(servesClients);
    if (client === undefined) continue;
    if (fromRequests.has(stream)) {
      report("GW4061", client.nameSpan, { stream: stream.name, hasRedis }, related);
      continue;
    }
    const all = endsOf(stream, "output").find(isBroadcast);
    const shared = endsOf(stream, "input").find((input) => isDivided(input) && !hasOwnGroup(input));
    if (all !== undefined && shared !== undefined)
      report("GW4074", shared.nameSpan, { stream: stream.name, output: all.name }, related);
  }
}

/**
 * Whether the group of an input comes from the environment, such as `events-${HOSTNAME}`: each replica may have its
 * own.
 */
function hasOwnGroup(input: ComponentNode): boolean {
  return Object.values(groupOptions(input) ?? {}).some(({ value: group }: Option) => {
    return group?.kind === "Environment" && group.parts.some(({ kind }) => kind === "Variable");
  });
}

/** Fields with the name that readers share who divide the messages of an input. */
const groupOptions = optionsNamed([], ["consumer_group", "durable", "queue"]);
const clientOptions = optionsNamed(["distribution"]);

/** Whether an output sends each message to all of its clients. */
export function isBroadcast(output: ComponentNode): boolean {
  return servesClients(output) && clientOptions(output)?.distribution.text === "broadcast";
}

/** Returns the streams whose messages all come from requests of clients, directly or through channels. */
function streamsFromRequests(streams: readonly StreamNode[]): ReadonlySet<StreamNode> {
  const found = new Set<StreamNode>();
  const isLocal = (input: ComponentNode) => {
    if (servesClients(input)) return true;
    const channel = channelOf(input);
    if (channel === undefined) return false;
    const writers = streams.filter((each) =>
      endsOf(each, "output").some((output) => channelOf(output) === channel),
    );
    return writers.length > 0 && writers.every((writer) => found.has(writer));
  };
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const stream of streams) {
      const inputs = endsOf(stream, "input");
      if (inputs.length > 0 && inputs.every(isLocal)) found.add(stream);
    }
  }
  return found;
}

function channelOf({ descriptor, config }: ComponentNode): string | undefined {
  return descriptor?.isChannel === true ? literalText(config) : undefined;
}
