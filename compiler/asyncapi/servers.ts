// Where the gateway is reached: the servers of the OpenAPI document, or those that the caller names.

import type { ApiModel } from "../model/api.ts";
import type { DeclaredServer } from "../model/operations.ts";
import { findNode, findText, type Json, toJson } from "../trees/document.ts";
import type { Server } from "./document.ts";

/** Servers by key, those of sockets apart. */
export interface Servers {
  readonly http: Readonly<Record<string, Server>>;
  readonly sockets: Readonly<Record<string, Server>>;
}

/** An address with what OpenAPI says beside it. */
interface WrittenServer {
  readonly url: string;
  readonly description?: string;
  readonly variables?: Json;
}

/**
 * The servers by their key: for each address one of HTTP and, where the API has sockets, one of WebSocket. Addresses are
 * `given`, else those of OpenAPI's `servers` that name a host; the path after the host is always the listen path.
 */
export function describeServers(api: ApiModel, hasSockets: boolean, given: readonly string[]): Servers {
  const written = given.length > 0 ? given.map((url) => ({ url })) : api.servers.flatMap(readServer);
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

function readServer({ node, url }: DeclaredServer): readonly WrittenServer[] {
  const description = findText(node, "description");
  const variables = findNode(node, "variables");
  if (url === undefined) return [];
  return [
    {
      url,
      ...(description !== undefined && { description }),
      ...(variables !== undefined && { variables: toJson(variables) }),
    },
  ];
}

/** None for an address without a host. */
function describe({ url, description, variables }: WrittenServer, pathname: string): readonly Server[] {
  const [, protocol, host] = /^(https?|wss?):\/\/([^/?#]+)/i.exec(url) ?? [];
  if (protocol === undefined || host === undefined) return [];
  // Variables of the path have no place: the listen path stands there.
  const used = isObject(variables)
    ? Object.entries(variables).filter(([name]) => host.includes(`{${name}}`))
    : [];
  return [
    {
      host,
      protocol: ["https", "wss"].includes(protocol.toLowerCase()) ? "https" : "http",
      ...(pathname !== "" && { pathname }),
      ...(description !== undefined && { description }),
      ...(used.length > 0 && { variables: Object.fromEntries(used) }),
    },
  ];
}

function isObject(value: Json | undefined): value is Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
