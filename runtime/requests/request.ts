// A request on its way out, and its answer.

import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { GatewayError } from "../errors.ts";
import type { Logger } from "../process/log.ts";
import type { HostTest } from "./public-addresses.ts";

/** A request, ready to be signed and sent. */
export interface OutgoingRequest {
  readonly verb: string;
  /** Without a user and password. */
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Map<string, string>;
  readonly body: Uint8Array | undefined;
  /** Which servers redirects may lead to; any where absent. */
  readonly mayGoTo?: HostTest | undefined;
}

/** The head of an answer, and its body still to be read or thrown away. */
export interface IncomingReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Unpacked. */
  readonly body: Readable;
}

/** What of an `AbortSignal` an exchange looks at. Making one for each request would cost as much as its headers. */
export interface AbortState {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options: { readonly once: true }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Sends a request once; rejects when no answer comes, or the signal is aborted before its body was read. */
export type Send = (request: OutgoingRequest, signal: AbortState) => Promise<IncomingReply>;

/** Who requests. */
export interface Requester {
  readonly log: Logger;
  /** Ends pauses; an attempt under way is finished. */
  readonly signal: AbortSignal;
  /** Ends an attempt under way, whose result is then unknown. */
  readonly cut?: AbortSignal;
}

/** Without what the platform says: it quotes addresses and headers, which hold content and credentials. */
export function unmakeable(reason: string): GatewayError {
  return new GatewayError(422, `The HTTP request cannot be made: ${reason}`, { retryable: false });
}

/** Something that makes a request believed. */
export interface Credentials {
  /**
   * Adds to the headers of a request that is otherwise complete. `send` reaches the token endpoint, by the
   * same way as the request itself. Rejects with a `GatewayError` that quotes no secret.
   */
  apply(request: OutgoingRequest, send: Send): void | Promise<void>;
  /** Told that a server refused what `request` was given (401): whether applying again may give something else. */
  renew?(request: OutgoingRequest): boolean;
}
