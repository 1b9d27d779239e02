// The interface of versions, for routing: each version of an API is an API of the gateway, and the API is one of them.

import type { IncomingMessage } from "node:http";
import type { GatewayError } from "../errors.ts";
import type { RequestPath } from "./request-path.ts";

/** The parts of a request that decide which API it is for. */
export interface RoutedRequest {
  readonly request: IncomingMessage;
  readonly path: RequestPath;
  /** With its `?`; empty if there is none. */
  readonly query: string;
  readonly url: URL;
}

/** One version of an API. */
export interface ApiVersion {
  /** The name in requests; case-sensitive. */
  readonly name: string;
  /** The id of the API that is this version. */
  readonly id: string;
}

/** The version that a request names. */
export interface NamedVersion {
  readonly version: ApiVersion;
  /** Whether its name was the first segment below the listen path. */
  readonly isInPath: boolean;
}

/** A request from which the name of a version may be removed. */
export type VersionedRequest = Pick<RoutedRequest, "request" | "url"> & { query: string };

/** The versions of one API, and how requests name them. */
export interface Versions {
  /** All versions in their order; names are unique. */
  readonly all: readonly ApiVersion[];
  /** Whether names are segments of paths, instead of headers or parameters. */
  readonly isInPath: boolean;
  /** Whether the name is removed before a request is passed on. */
  readonly isStripped: boolean;
  /** The version for requests below the listen path that name none, if they are accepted. */
  readonly unnamed: ApiVersion | undefined;
  /**
   * Returns the version that a request is for; `below`: the path below the listen path. Returns a 404 error if there
   * is none. A version counts only if `runs` says that its API runs.
   */
  choose(
    request: RoutedRequest,
    below: RequestPath,
    runs: (id: string) => boolean,
  ): NamedVersion | GatewayError;
  /** Removes the name if it is not part of the path. */
  strip?(call: VersionedRequest): void;
}

/** The version that a request reached, and the API through which it came. */
export interface FoundVersion {
  readonly name: string;
  /** The id of the API that has the version. */
  readonly base: string;
  /** Whether the name is in the path, below the listen path of that API, and is removed. */
  readonly isCutOff: boolean;
  strip?(call: VersionedRequest): void;
}
