// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor, Text } from "../../../component.ts";
import type { QueryFunction } from "../../../processors/functions.ts";
import type { RateLimit } from "../../../resource.ts";

/**
 * Sends each message as a request to an address; a reply of 200 to 299 confirms it.
 */
export interface HttpClientOutputOptions {
  /**
   * Address to call.
   */
  readonly url: Text;
  /**
   * Method of the request.
   */
  readonly verb?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  /**
   * Headers to send besides those the request needs anyway.
   */
  readonly headers?: Readonly<Record<string, Text>>;
  /**
   * Body of the request in place of the message.
   */
  readonly payload?: Text;
  /**
   * Longest time one attempt may take.
   */
  readonly timeout?: number;
  /**
   * Attempts after the first one failed.
   */
  readonly retries?: number;
  /**
   * Pause before the next attempt, and the first pause where pauses grow.
   */
  readonly retry_period?: number;
  /**
   * Longest pause where pauses grow.
   */
  readonly max_retry_backoff?: number;
  /**
   * Status codes that are tried again after a pause that doubles each time.
   */
  readonly backoff_on?: readonly number[];
  /**
   * Status codes that count as failure at once, without another attempt.
   */
  readonly drop_on?: readonly number[];
  /**
   * Status codes that count as success besides 200 to 299.
   */
  readonly successful_on?: readonly number[];
  readonly extract_headers?: NameFilter;
  /**
   * Label of an entry of `rate_limit_resources` that lets each request through.
   */
  readonly rate_limit?: RateLimit;
  /**
   * Requests under way at once; 1 keeps the order of messages.
   */
  readonly max_in_flight?: number;
  readonly batching?: Batching;
}
/**
 * Headers of the reply that become metadata of the message, by their name in lower case.
 */
export interface NameFilter {
  /**
   * Names that begin with one of these pass.
   */
  readonly include_prefixes?: readonly string[];
  /**
   * Names that match one of these regular expressions pass.
   */
  readonly include_patterns?: readonly string[];
}
/**
 * Collects messages into larger batches. Each is acknowledged when the batch it went into is.
 */
export interface Batching {
  /**
   * Messages that complete a batch; 0 for any number.
   */
  readonly count?: number;
  /**
   * Bytes of content that complete a batch; 0 for any number.
   */
  readonly byte_size?: number;
  /**
   * How long after its first message a batch is complete; empty for any time.
   */
  readonly period?: number;
  /**
   * Up to which share of `period` is added to it, at random.
   */
  readonly jitter?: number;
  /**
   * Query that says whether a message is the last of its batch.
   */
  readonly check?: QueryFunction;
  /**
   * What runs on complete batches.
   */
  readonly processors?: readonly Processor[];
}

/** What the fields hold that a document leaves out. */
export const httpClientOutputDefaults = {
  verb: "POST",
  timeout: 5000,
  retries: 3,
  retry_period: 1000,
  max_retry_backoff: 300000,
  backoff_on: [
    429
  ],
  drop_on: [],
  successful_on: [],
  extract_headers: {
    include_prefixes: [],
    include_patterns: []
  },
  max_in_flight: 64,
  batching: {
    count: 0,
    byte_size: 0,
    period: 0,
    jitter: 0,
    processors: []
  }
} as const satisfies Partial<HttpClientOutputOptions>;
