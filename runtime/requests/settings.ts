// The settings of a component's requests.

import type { IncomingHttpHeaders } from "node:http";
import type { RateLimit } from "../component/resource.ts";
import type { Text } from "../component/text.ts";
import type { NameTest } from "../message/name-filter.ts";
import type { TlsBlock } from "../process/tls.ts";
import type { TransportBlock } from "./connections.ts";
import type { DumpLevel } from "./dump.ts";
import type { ProxyServer } from "./proxy.ts";
import type { HostTest } from "./public-addresses.ts";
import type { Credentials } from "./request.ts";

/** How requests are built, sent and repeated; times in milliseconds. */
export interface HttpRequestSettings {
  readonly url: Text;
  /** The servers that requests may be sent to; absent if the document alone determines the server. */
  readonly allowed_hosts?: HostTest | undefined;
  readonly verb: string;
  readonly headers?: Readonly<Record<string, Text>>;
  /** Selects the metadata of the message that become headers. */
  readonly metadata?: NameTest | undefined;
  /** The body, in place of the message. */
  readonly payload?: Text;
  /** The time limit of one attempt, including reading the response; 0 for no limit. */
  readonly timeout: number;
  /** Attempts after the first one. */
  readonly retries: number;
  readonly retry_period: number;
  readonly max_retry_backoff: number;
  readonly backoff_on: readonly number[];
  readonly drop_on: readonly number[];
  readonly successful_on: readonly number[];
  /** Selects the headers of a response that become metadata, by their lower-case name. */
  readonly extract_headers?: NameTest | undefined;
  /** Delays attempts so that they stay within a rate limit. */
  readonly rate_limit?: RateLimit;
  readonly dump_request_log_level?: DumpLevel;
  readonly oauth?: Credentials | undefined;
  readonly oauth2?: Credentials | undefined;
  readonly basic_auth?: Credentials | undefined;
  readonly jwt?: Credentials | undefined;
  readonly tls?: TlsBlock;
  readonly transport?: TransportBlock;
  readonly proxy_url?: ProxyServer | undefined;
}

/** A part of an output's body, in place of the message. */
export interface PartSettings {
  readonly content_type?: Text;
  readonly content_disposition?: Text;
  readonly body?: Text;
}

/** The result of applying the rules to a status. */
export type ReplyVerdict = "success" | "fail" | "grow" | "repeat";

/** Applies the rules in order: for a status in several lists, the first list decides. */
export function judge(
  status: number,
  {
    drop_on,
    backoff_on,
    successful_on,
  }: Pick<HttpRequestSettings, "drop_on" | "backoff_on" | "successful_on">,
): ReplyVerdict {
  if (drop_on.includes(status)) return "fail";
  if (backoff_on.includes(status)) return "grow";
  if (successful_on.includes(status) || (status >= 200 && status < 300)) return "success";
  return "repeat";
}

/**
 * Returns the milliseconds that a server asks clients to wait (`Retry-After`, in seconds or as a date, RFC 9110,
 * section 10.2.3); 0 if the header is absent or not valid.
 */
export function requestedPause({ "retry-after": text = "" }: IncomingHttpHeaders, now = Date.now()): number {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}
