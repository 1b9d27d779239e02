// What a document says of the requests of a component.

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

/** What a request is made of, how it travels and when it is repeated; times in milliseconds. */
export interface HttpRequestSettings {
  readonly url: Text;
  /** Which servers requests may go to; absent where the document alone chooses. */
  readonly allowed_hosts?: HostTest | undefined;
  readonly verb: string;
  readonly headers?: Readonly<Record<string, Text>>;
  /** Which metadata of the message become headers. */
  readonly metadata?: NameTest | undefined;
  /** The body in place of the message. */
  readonly payload?: Text;
  /** Of one attempt, the reading of the reply included; 0 waits without end. */
  readonly timeout: number;
  /** Attempts after the first. */
  readonly retries: number;
  readonly retry_period: number;
  readonly max_retry_backoff: number;
  readonly backoff_on: readonly number[];
  readonly drop_on: readonly number[];
  readonly successful_on: readonly number[];
  /** Which headers of a reply become metadata, by their name in lower case. */
  readonly extract_headers?: NameTest | undefined;
  /** Lets each attempt through. */
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

/** A part of the body of an output, in place of the message. */
export interface PartSettings {
  readonly content_type?: Text;
  readonly content_disposition?: Text;
  readonly body?: Text;
}

/** What the rules say about a status. */
export type ReplyVerdict = "success" | "fail" | "grow" | "repeat";

/** The order counts: a status in several lists is what the first of them says. */
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
 * The milliseconds that a server asks to be left alone (`Retry-After`, in seconds or as a date, RFC 9110, section
 * 10.2.3); 0 where it does not, or says something else.
 */
export function askedPause({ "retry-after": text = "" }: IncomingHttpHeaders, now = Date.now()): number {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}
