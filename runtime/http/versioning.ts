// The versions of an API, as routing asks for them: each is an API of the gateway, this one among them.

import type { IncomingMessage } from "node:http";
import type { GatewayError } from "../errors.ts";
import type { RequestPath } from "./request-path.ts";

/** What of a request says which API it is for. */
export interface RoutedRequest {
  readonly request: IncomingMessage;
  readonly path: RequestPath;
  /** With its `?`, empty when there is none. */
  readonly query: string;
  readonly url: URL;
}

/** One version of an API. */
export interface ApiVersion {
  /** What requests call it; case counts. */
  readonly name: string;
  /** Id of the API that it is. */
  readonly id: string;
}

/** What a request named. */
export interface NamedVersion {
  readonly version: ApiVersion;
  /** Whether the first segment below the listen path was its name. */
  readonly isInPath: boolean;
}

/** A request from which a name may be taken. */
export type VersionedRequest = Pick<RoutedRequest, "request" | "url"> & { query: string };

/** The versions of one API, and how requests name them. */
export interface Versions {
  /** All, in the order written; names are there once. */
  readonly all: readonly ApiVersion[];
  /** Whether names are segments of paths, where others have them elsewhere. */
  readonly isInPath: boolean;
  /** Whether the name is taken off before a request goes on. */
  readonly isStripped: boolean;
  /** What answers requests below the listen path that name none, where some get that far. */
  readonly unnamed: ApiVersion | undefined;
  /**
   * The version that a request is for, whose path below the listen path is `below`; 404 where there is none. One whose API
   * does not run, as `runs` says by its id, is not one.
   */
  choose(
    asked: RoutedRequest,
    below: RequestPath,
    runs: (id: string) => boolean,
  ): NamedVersion | GatewayError;
  /** Takes the name off where it is not part of the path. */
  strip?(call: VersionedRequest): void;
}

/** The version that a request came to, and by which API. */
export interface FoundVersion {
  readonly name: string;
  /** Id of the API whose version it is. */
  readonly base: string;
  /** Whether the path names it, below the listen path of that API, and the name is taken off. */
  readonly isCutOff: boolean;
  strip?(call: VersionedRequest): void;
}
