// What a stream reads and writes at brokers, as servers and channels of the document.

import type { BindingFields, BrokerAddress, BrokerChannels } from "../../schemas/component.ts";
import { writtenOptions } from "../model/written-options.ts";
import type { ComponentNode } from "../trees/api.ts";
import type { Json } from "../trees/document.ts";
import { createKeys } from "./keys.ts";

/** A broker by the address that a document has for it. */
export interface BrokerServer {
  readonly host: string;
  readonly protocol: string;
  /** The virtual host of AMQP. */
  readonly pathname?: string;
  readonly description?: string;
  readonly variables?: Json;
}

/** A topic, subject or queue. */
export interface BrokerChannel {
  /** The same for every component that reads or writes it. */
  readonly identity: string;
  /** `null` where messages tell it, or the start. */
  readonly address: string | null;
  readonly servers: readonly string[];
  readonly bindings?: Json;
  readonly operationBindings?: Json;
}

/** Collects the brokers of an API. */
export interface Brokers {
  /** What a component reads or writes; nothing for those that are at no broker. */
  channelsOf(component: ComponentNode): readonly BrokerChannel[];
  /** Every server so far, by its key. */
  servers(): Readonly<Record<string, BrokerServer>>;
}

/** No brokers yet. */
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
      return channels.addresses.map(
        (address): BrokerChannel => ({
          identity: JSON.stringify([names, address ?? config.span.start]),
          address: address ?? null,
          servers: names,
          ...bindingsOf(channels, address),
        }),
      );
    },
    servers: () => Object.fromEntries(servers),
  };
}

/** Neither credentials nor what stands after a question mark. */
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

/** Bindings are plain data. */
function withoutGaps(fields: BindingFields): Json {
  return JSON.parse(JSON.stringify(fields)) as Json;
}
