// The blocks of the gateway part that can be switched off. Such a block applies if it is written, unless it contains
// `enabled: false`.

import type { PartReader, WrittenBlock, WrittenValue } from "./written.ts";

/** The blocks of an API as written, each with its place. */
export interface Blocks {
  /** `server.ipAccessControl` */
  readonly ipAccess: WrittenBlock | undefined;
  /** `server.clientCertificates` */
  readonly clientCertificates: WrittenBlock | undefined;
  /** The certificates that it allows. */
  readonly certificateList: WrittenValue | undefined;
  /** `server.gatewayTags` */
  readonly gatewayTags: WrittenBlock | undefined;
  /** Its tags. */
  readonly tags: WrittenValue | undefined;
  /** `upstream.rateLimit` */
  readonly rateLimit: WrittenBlock | undefined;
  /** Its number of requests, and the time in which they are allowed. */
  readonly rate: WrittenValue | undefined;
  readonly ratePeriod: WrittenValue | undefined;
  /** `middleware.global.connectionLimit` */
  readonly connectionLimit: WrittenBlock | undefined;
  /** Its numbers for all keys together, and for each of them. */
  readonly connections: WrittenValue | undefined;
  readonly connectionsPerKey: WrittenValue | undefined;
  /** `middleware.global.messageRateLimit` */
  readonly messageRateLimit: WrittenBlock | undefined;
  /** The times in which its numbers of messages are allowed. */
  readonly messagePeriods: readonly WrittenValue[];
  /** `middleware.global.requestSizeLimit` */
  readonly requestSize: WrittenBlock | undefined;
  /** `middleware.global.validateRequest`: for all operations. */
  readonly requestValidation: WrittenBlock | undefined;
  /** `middleware.global.cors` */
  readonly cors: WrittenBlock | undefined;
  /** The headers and methods that it allows. */
  readonly corsHeaders: WrittenValue | undefined;
  readonly corsMethods: WrittenValue | undefined;
  /** `middleware.global.contextVariables` */
  readonly contextVariables: WrittenBlock | undefined;
  /** `middleware.global.trafficLogs` */
  readonly trafficLogs: WrittenBlock | undefined;
  /** `middleware.global.skipRateLimit` and `skipQuota`, if they are written. */
  readonly uncounted: readonly WrittenValue[];
}

/**
 * The blocks that restrict which requests an API accepts. Does not include limits that count: each API, and so each
 * version, has its own capacity.
 */
export const protectionBlocks = [
  { name: "ipAccess", field: "ipAccessControl" },
  { name: "clientCertificates", field: "clientCertificates" },
  { name: "requestSize", field: "requestSizeLimit" },
  { name: "requestValidation", field: "validateRequest" },
] as const satisfies readonly { readonly name: keyof Blocks; readonly field: string }[];

/** Reads the blocks from the gateway part. */
export function readBlocks(gateway: PartReader): Blocks {
  const global = (name: string) => gateway.block("middleware", "global", name);
  return {
    ipAccess: gateway.block("server", "ipAccessControl"),
    clientCertificates: gateway.block("server", "clientCertificates"),
    certificateList: gateway.value("server", "clientCertificates", "allowlist"),
    gatewayTags: gateway.block("server", "gatewayTags"),
    tags: gateway.value("server", "gatewayTags", "tags"),
    rateLimit: gateway.block("upstream", "rateLimit"),
    rate: gateway.value("upstream", "rateLimit", "rate"),
    ratePeriod: gateway.value("upstream", "rateLimit", "per"),
    connectionLimit: global("connectionLimit"),
    connections: gateway.value("middleware", "global", "connectionLimit", "max"),
    connectionsPerKey: gateway.value("middleware", "global", "connectionLimit", "maxPerKey"),
    messageRateLimit: global("messageRateLimit"),
    messagePeriods: ["fromClient", "toClient"].flatMap(
      (direction) => gateway.value("middleware", "global", "messageRateLimit", direction, "per") ?? [],
    ),
    requestSize: global("requestSizeLimit"),
    requestValidation: global("validateRequest"),
    cors: global("cors"),
    corsHeaders: gateway.value("middleware", "global", "cors", "allowedHeaders"),
    corsMethods: gateway.value("middleware", "global", "cors", "allowedMethods"),
    contextVariables: global("contextVariables"),
    trafficLogs: global("trafficLogs"),
    uncounted: ["skipRateLimit", "skipQuota"].flatMap(
      (name) => gateway.value("middleware", "global", name) ?? [],
    ),
  };
}
