import type { ComponentContext, Output } from "../../component/component.ts";
import { notConnected } from "../../component/persistence.ts";
import { abort } from "../../concurrency/abort.ts";
import { GatewayError } from "../../errors.ts";
import { EventQueue } from "../../portal/event-queue.ts";
import type { WebhookEvent } from "../../portal/webhook-events.ts";
import { createCaller, type HttpCaller } from "../../requests/caller.ts";
import { trimmedEnd } from "../../text/trim.ts";
import { asBuffer } from "../../text/utf8.ts";
import { eventsOf } from "./events.ts";
import type { PortalWebhookOutputOptions } from "./generated/output-options.ts";

/** The options of the schema, and the access token for the portal. */
export interface RemotePortalOptions extends PortalWebhookOutputOptions {
  readonly portal_url: string;
  readonly token: string;
}

/**
 * How requests to the portal are made.
 * Statuses in `drop_on` are not retried: the event itself is refused or too large.
 */
const requests = {
  verb: "POST",
  timeout: 15_000,
  retries: 3,
  retry_period: 500,
  max_retry_backoff: 5_000,
  backoff_on: [429, 503],
  drop_on: [413, 422],
  successful_on: [],
} as const;

/** Largest number of events, and of bytes (of base64), per request. A single event may be larger. */
const eventsAtOnce = 1000;
const bytesAtOnce = 4 * 1024 * 1024;

/**
 * Sends messages to a remote portal, which confirms them when they are stored for all subscribers. They arrive in
 * order, and twice if a response is lost.
 */
export function remotePortalWebhookOutput(options: RemotePortalOptions): Output {
  const { portal_url, token } = options;
  const url = eventsUrl(portal_url);
  const closing = new AbortController();
  let started: { readonly context: ComponentContext; readonly caller: HttpCaller } | undefined;
  const queue = new EventQueue<string>(async (events) => {
    for (const part of parts(events)) await send(part);
  });

  async function send(events: readonly HandedEvent[]): Promise<void> {
    if (started === undefined) throw notConnected();
    const { context, caller } = started;
    const headers = new Map([
      ["authorization", token],
      ["content-type", "application/json"],
    ]);
    const body = Buffer.from(JSON.stringify({ events }));
    await caller.call(
      { verb: requests.verb, url, headers, body },
      { log: context.log, signal: closing.signal, cut: context.signal },
    );
  }

  return {
    async start(context) {
      if (token === "") throw new GatewayError(503, "GW_PORTAL_TOKEN is empty");
      started = { context, caller: createCaller({ ...requests, url: portal_url }) };
    },
    async write(batch) {
      if (started === undefined) throw notConnected();
      await queue.put(eventsOf(options, batch), "");
      return {};
    },
    async close() {
      abort(closing); // ends pauses; an attempt in progress is finished unless the stream's time is over
      await queue.close();
      started?.caller.close();
      started = undefined;
    },
  };
}

/** Returns the URL for events of a portal such as `https://portal.example.com`. */
export function eventsUrl(portal: string): URL {
  const url = new URL(portal);
  const path = trimmedEnd(url.pathname, "/");
  url.pathname = `${path.endsWith("/api/portal") ? path : `${path}/api/portal`}/webhooks/events`;
  url.search = "";
  url.hash = "";
  return url;
}

/** An event in the format of the portal. */
interface HandedEvent {
  readonly event_type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret?: string;
  /** Base64. */
  readonly body: string;
}

function* parts(events: readonly WebhookEvent[]): Iterable<readonly HandedEvent[]> {
  let part: HandedEvent[] = [];
  let bytes = 0;
  for (const { event, body, ...more } of events) {
    const text = asBuffer(body).toString("base64");
    if (part.length > 0 && (part.length === eventsAtOnce || bytes + text.length > bytesAtOnce)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push({ event_type: event, ...more, body: text });
    bytes += text.length;
  }
  if (part.length > 0) yield part;
}
