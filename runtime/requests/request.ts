// The types of an outgoing request and its response.

import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { GatewayError } from "../errors.ts";
import type { BodySink } from "../http/gateway-messages.ts";
import type { Logger } from "../process/log.ts";
import type { HostTest } from "./public-addresses.ts";

/** A request that is ready to be signed and sent. */
export interface OutgoingRequest {
  readonly verb: string;
  /** The address without user and password. */
  readonly url: URL;
  /** Header values by lower-case name. */
  readonly headers: Map<string, string>;
  readonly body: Uint8Array | undefined;
  /** The servers that redirects may lead to; any if absent. */
  readonly mayGoTo?: HostTest | undefined;
}

/** The head of a response, and its body, which must be read or discarded. */
export interface IncomingReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Returns the first value of a field, by its lower-case name. */
  first(name: string): string | undefined;
  /** The decompressed body. */
  readonly body: Readable;
  /** Passes the body to a sink, without a stream; returns false if it has to be read as a stream. */
  divert?(sink: BodySink): boolean;
}

/**
 * The part of an `AbortSignal` that an exchange uses. Creating a signal for each request would cost as much as its
 * headers.
 */
export interface AbortState {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options: { readonly once: true }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Sends a request once; rejects if no response arrives, or if the signal is aborted before its body has been read. */
export type Send = (request: OutgoingRequest, signal: AbortState) => Promise<IncomingReply>;

/** The component that sends a request. */
export interface Requester {
  readonly log: Logger;
  /** Ends pauses; an attempt in flight is finished. */
  readonly signal: AbortSignal;
  /** Ends an attempt in flight, whose result is then unknown. */
  readonly cut?: AbortSignal;
}

/**
 * Returns the error for a request that cannot be built. Omits errors of Node, which quote addresses, headers and
 * credentials.
 */
export function unmakeable(reason: string): GatewayError {
  return new GatewayError(422, `The HTTP request cannot be made: ${reason}`, { retryable: false });
}

/** Credentials that authenticate requests. */
export interface Credentials {
  /**
   * Adds headers to a request that is otherwise complete. `send` reaches the token endpoint over the same connections
   * as the request itself. Rejects with a `GatewayError` that quotes no secret.
   */
  apply(request: OutgoingRequest, send: Send): void | Promise<void>;
  /**
   * Called when a server refused the credentials of `request` (401). Returns whether applying them again may change
   * them.
   */
  renew?(request: OutgoingRequest): boolean;
}
