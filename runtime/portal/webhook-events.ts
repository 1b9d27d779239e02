// Events on their way from the streams of a gateway to its portal, which tells subscribers of them.

import type { Scoped } from "../component/gateway-scope.ts";

/** An event for subscribers. */
export interface WebhookEvent {
  /** Its type: subscribers of exactly that one get it. */
  readonly event: string;
  /** By name in lower case, `content-type` among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Signs beside the secret of each subscription. */
  readonly secret?: string;
  readonly body: Uint8Array;
}

/** Bytes of the type and the headers of an event: common servers refuse more, and later events would wait behind it in vain. */
export const largestEventHeaders = 8_000;

/** Whether servers take the type and the headers of an event. */
export function areHeadersShort({ event, headers }: Pick<WebhookEvent, "event" | "headers">): boolean {
  let size = event.length;
  for (const [name, value] of Object.entries(headers)) size += name.length + value.length + 4;
  return size <= largestEventHeaders;
}

/**
 * Takes events for the subscribers there are. Resolves when none of them can get lost any more, which is long before they
 * get it; events that are taken one after another are sent in that order. They are for subscribers of `organisation`, or
 * of the portal's own.
 */
export type TakeEvents = (events: readonly WebhookEvent[], organisation?: string) => Promise<void>;

/** Where the outputs of a gateway hand in their events; without `take` where it has no portal. */
export const scopedEvents: Scoped<{ take?: TakeEvents }> = { create: () => ({}) };
