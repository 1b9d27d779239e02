// Reads AsyncAPI documents (3.0): https://www.asyncapi.com/docs/reference/specification/v3.0.0

import type { DocumentedBody, DocumentedOperation, Transport } from "./documented.ts";
import { t } from "./messages.ts";
import { readParameter } from "./openapi.ts";
import { type Part, partOf, partsOf, referenceName, resolvePart, sampleOf, textOf } from "./schemas.ts";
import { channelKeyPlacesOf } from "./security.ts";

/** Returns the operations of an AsyncAPI document by channel. A channel without operations is listed on its own. */
export function readChannels(root: Part): readonly DocumentedOperation[] {
  const operations = Object.values(partOf(root.operations)).map((each) => resolvePart(root, each));
  return Object.entries(partOf(root.channels)).flatMap(([name, given]) => {
    const channel = resolvePart(root, given);
    const own = operations.filter((each) => referenceName(each.channel) === name);
    return (own.length === 0 ? [{}] : own).map((operation) => readOperation(root, name, channel, operation));
  });
}

function readOperation(root: Part, name: string, channel: Part, operation: Part): DocumentedOperation {
  const servers = serversOf(root, channel);
  const isSocket =
    partOf(channel.bindings).ws !== undefined ||
    (servers.length > 0 && servers.every(({ protocol }) => /^wss?$/.test(textOf(protocol))));
  const method = textOf(partOf(partOf(operation.bindings).http).method).toUpperCase();
  const named = operation.messages ?? Object.values(partOf(channel.messages));
  const messages = partsOf(named).map((each) => resolvePart(root, each));
  const reply = partsOf(partOf(operation.reply).messages).map((each) => resolvePart(root, each));
  const sent = messages.find(({ payload }) => payload !== undefined);
  const action = textOf(operation.action) || "channel";
  const isSent = isSocket || (method !== "" && method !== "GET");
  return {
    verb: isSocket ? `socket ${action}` : method || action,
    method: method || (action === "receive" ? "POST" : "GET"),
    path: textOf(channel.address) || name,
    summary: textOf(operation.title) || textOf(channel.title) || textOf(channel.summary),
    description: [textOf(operation.summary), textOf(operation.description) || textOf(channel.description)]
      .filter((text) => text !== "")
      .join(" "),
    parameters: Object.entries(partOf(channel.parameters)).map(([key, parameter]) => ({
      ...readParameter(resolvePart(root, parameter)),
      name: key,
      place: "path",
      isRequired: true,
    })),
    bodies: [
      ...messages.map((message) => messageOf(root, t("docs.message"), message)),
      ...reply.map((message) => messageOf(root, t("docs.reply"), message)),
    ],
    sample: sent === undefined || !isSent ? "" : sampleText(root, sent),
    keys: channelKeyPlacesOf(
      root,
      operation.security ?? servers.flatMap(({ security }) => partsOf(security)),
    ),
    transports: transportsOf(servers, isSocket, isSent),
  };
}

/** Returns the servers of a channel: those it names, otherwise all. */
function serversOf(root: Part, channel: Part): readonly Part[] {
  const named = partsOf(channel.servers);
  const all = named.length > 0 ? named : Object.values(partOf(root.servers));
  return all.map((each) => resolvePart(root, each));
}

/** Returns the transports with which the page can try an operation. It cannot connect to brokers. */
function transportsOf(servers: readonly Part[], isSocket: boolean, isSent: boolean): readonly Transport[] {
  if (isSocket) return ["websocket"];
  const isWeb = servers.length === 0 || servers.some(({ protocol }) => /^https?$/.test(textOf(protocol)));
  return !isWeb ? [] : isSent ? ["http"] : ["events", "http"];
}

function messageOf(root: Part, kind: string, message: Part): DocumentedBody {
  const { payload, headers } = message;
  // A schema in another format is wrapped in an object with the name of the format.
  const isNamed = partOf(payload).schemaFormat !== undefined;
  return {
    title: `${kind} ${textOf(message.title) || textOf(message.name)}`.trim(),
    summary: textOf(message.summary) || textOf(message.description),
    type: textOf(message.contentType) || textOf(root.defaultContentType),
    schema: isNamed ? partOf(payload).schema : payload,
    ...(headers !== undefined && { headers }),
  };
}

function sampleText(root: Part, message: Part): string {
  const [example] = partsOf(message.examples);
  const sample = example?.payload ?? sampleOf(root, message.payload);
  return typeof sample === "string" ? sample : JSON.stringify(sample, undefined, 2);
}
