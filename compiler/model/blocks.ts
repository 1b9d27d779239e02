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
  /** Its number of requests per `per`. */
  readonly rate: WrittenValue | undefined;
  /** `middleware.global.connectionLimit` */
  readonly connectionLimit: WrittenBlock | undefined;
  /** `middleware.global.messageRateLimit` */
  readonly messageRateLimit: WrittenBlock | undefined;
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
    connectionLimit: global("connectionLimit"),
    messageRateLimit: global("messageRateLimit"),
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
