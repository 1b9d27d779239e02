// Describes the addresses of the gateway: the servers of the OpenAPI document, or those that the caller provides. Also
// describes the channels that a stream reads and writes at brokers.

import type { BindingFields, BrokerAddress, BrokerChannels } from "../../schemas/component.ts";
import type { ApiModel } from "../model/api.ts";
import type { DeclaredServer } from "../model/servers.ts";
import { writtenOptions } from "../model/written-options.ts";
import type { ComponentNode, FieldNode, TemplateField } from "../trees/api.ts";
import { type Json, toJson } from "../trees/document.ts";
import { findField, literalText } from "../trees/fields.ts";
import type { Expression } from "../trees/mapping.ts";
import { walk } from "../trees/walk.ts";
import { createKeys, type Server } from "./document.ts";

/** Servers by key, with those for WebSockets separate. */
export interface Servers {
  readonly http: Readonly<Record<string, Server>>;
  readonly sockets: Readonly<Record<string, Server>>;
}

/** An address with the other fields of an OpenAPI server. */
type WrittenServer = Partial<Pick<DeclaredServer, "url" | "description" | "variables">>;

/**
 * Returns the servers by key: for each address one for HTTP and, if the API has WebSockets, one for WebSocket. The
 * addresses are `given`, otherwise those of OpenAPI's `servers` with a host; the path after the host is always the
 * listen path.
 */
export function describeServers(api: ApiModel, hasSockets: boolean, given: readonly string[]): Servers {
  const written = given.length > 0 ? given.map((url) => ({ url })) : api.servers;
  const pathname = api.listenPath.replace(/\/$/, "");
  const found = written.flatMap((server) => describe(server, pathname));
  const name = (index: number) => (index === 0 ? "gateway" : `gateway_${index + 1}`);
  const sockets = hasSockets ? found : [];
  return {
    http: Object.fromEntries(found.map((server, index) => [name(index), server])),
    sockets: Object.fromEntries(
      sockets.map((server, index) => [
        `${name(index)}_sockets`,
        { ...server, protocol: server.protocol === "https" ? "wss" : "ws" },
      ]),
    ),
  };
}

/** Returns no server for an address without a host. */
function describe(
  { url = "", description, variables = [] }: WrittenServer,
  pathname: string,
): readonly Server[] {
  const [, protocol, host] = /^(https?|wss?):\/\/([^/?#]+)/i.exec(url) ?? [];
  if (protocol === undefined || host === undefined) return [];
  // Variables of the path are dropped: the listen path replaces the path.
  const used = variables.filter(({ name }) => host.includes(`{${name}}`));
  return [
    {
      host,
      protocol: ["https", "wss"].includes(protocol.toLowerCase()) ? "https" : "http",
      ...(pathname !== "" && { pathname }),
      ...(description !== undefined && { description }),
      ...(used.length > 0 && {
        variables: Object.fromEntries(used.map(({ name, node }) => [name, toJson(node)])),
      }),
    },
  ];
}

/** A broker with its address in the document. */
interface BrokerServer {
  readonly host: string;
  readonly protocol: string;
  /** The virtual host of AMQP. */
  readonly pathname?: string;
  readonly description?: string;
  readonly variables?: Json;
}

/** A topic, subject or queue. */
export interface BrokerChannel {
  /** The same text for every component that reads or writes the channel. */
  readonly identity: string;
  /** With parameters for what depends on messages, or is known only at start; `null` if it cannot be described. */
  readonly address: string | null;
  readonly parameters?: Readonly<Record<string, Json>>;
  readonly servers: readonly string[];
  readonly bindings?: Json;
  readonly operationBindings?: Json;
}

/** Collects the brokers of an API. */
interface Brokers {
  /** Returns the channels that a component reads or writes; an empty list if it uses no broker. */
  channelsOf(component: ComponentNode): readonly BrokerChannel[];
  /** Returns every server so far, by its key. */
  servers(): Readonly<Record<string, BrokerServer>>;
}

/** Returns an empty collection. */
export function createBrokers(): Brokers {
  const claim = createKeys();
  const servers = new Map<string, BrokerServer>();
  const keys = new Map<string, string>();

  function keyOf(written: BrokerAddress): string {
    const server = describeServer(written);
    const identity = JSON.stringify(server);
    const key = keys.get(identity) ?? claim(server.protocol, "server");
    keys.set(identity, key);
    servers.set(key, server);
    return key;
  }

  return {
    channelsOf({ descriptor, config }) {
      const channels = descriptor?.brokerChannels?.(writtenOptions(config));
      if (channels === undefined) return [];
      const names = [...new Set(channels.servers.map(keyOf))];
      const computed = templatesIn(findField(config, channels.field ?? "")).values();
      return channels.addresses.map((address): BrokerChannel => {
        const { value: template } = address === undefined ? computed.next() : {};
        return {
          // Texts that are computed in the same way at two places may differ.
          identity: JSON.stringify([names, address ?? config.span.start, template?.address]),
          address: address ?? null,
          ...template,
          servers: names,
          ...bindingsOf(channels, address),
        };
      });
    },
    servers: () => Object.fromEntries(servers),
  };
}

/** An address with parameters. */
type AddressTemplate = Required<Pick<BrokerChannel, "address" | "parameters">>;

/** Returns the addresses of a field that are not plain texts; `undefined` for those that cannot be described. */
function templatesIn(field: FieldNode | undefined): readonly (AddressTemplate | undefined)[] {
  const items = field?.kind === "List" ? field.items : field === undefined ? [] : [field];
  return items.filter((item) => literalText(item) === undefined).map(templateOf);
}

function templateOf(item: FieldNode): AddressTemplate | undefined {
  if (item.kind !== "Environment" && item.kind !== "Template") return undefined;
  const claim = createKeys();
  const parameters: Record<string, Json> = {};
  const texts = item.parts.map((part) => {
    if (part.kind === "Text") return part.text;
    const { name, ...parameter } = parameterOf(part);
    const key = claim(name, "value");
    parameters[key] = parameter;
    return `{${key}}`;
  });
  const isPlain = item.parts.every((part) => part.kind !== "Text" || !/[{}]/.test(part.text));
  return isPlain ? { address: texts.join(""), parameters } : undefined;
}

function parameterOf(part: Exclude<TemplateField["parts"][number], { readonly kind: "Text" }>) {
  switch (part.kind) {
    case "QueryPart":
      return { name: nameIn(part.query), description: "Computed for each message." };
    case "Request":
      return { name: part.name, description: "Taken from the request that starts the stream." };
    case "Variable":
      return {
        name: part.name,
        description: "Set when the gateway starts.",
        ...(part.fallback !== undefined && { default: part.fallback }),
      };
    default:
      return { name: "file", description: "Read when the gateway starts." };
  }
}

/** Returns the name of the first field, metadata or function that a query reads. */
function nameIn(query: Expression): string {
  let found: string | undefined;
  const note = (name: string) => {
    found ??= name;
  };
  walk(query, {
    FieldAccess: ({ name }) => note(name.text),
    Metadata: ({ key }) => note(key?.text ?? "metadata"),
    FunctionCall: ({ name, args: [first] }) =>
      note(first?.value.kind === "StringLiteral" ? first.value.value : name.text),
  });
  return found ?? "value";
}

/** Describes a server without credentials and without the query of its address. */
function describeServer({ protocol, address }: BrokerAddress): BrokerServer {
  if (address === undefined) {
    const variables = { address: { description: "Set when the gateway starts." } };
    return { host: "{address}", protocol, variables };
  }
  const [, host = address, path = ""] =
    /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^@/]*@)?([^/?#]+)([^?#]*)/i.exec(address) ?? [];
  return { host, protocol, ...(path.length > 1 && { pathname: path }) };
}

function bindingsOf(
  { protocol, channelBinding, operationBinding }: BrokerChannels,
  address: string | undefined,
): Pick<BrokerChannel, "bindings" | "operationBindings"> {
  const channel = address === undefined ? undefined : channelBinding?.(address);
  return {
    ...(channel !== undefined && { bindings: { [protocol]: withoutGaps(channel) } }),
    ...(operationBinding !== undefined &&
      Object.values(operationBinding).filter((value) => value !== undefined).length > 1 && {
        operationBindings: { [protocol]: withoutGaps(operationBinding) },
      }),
  };
}

/** Returns bindings without `undefined` fields, which are plain data. */
function withoutGaps(fields: BindingFields): Json {
  return JSON.parse(JSON.stringify(fields)) as Json;
}
