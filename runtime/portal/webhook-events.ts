// Passes events from the streams of a gateway to its portal, which sends them to subscribers.

import type { Scoped } from "../component/gateway-scope.ts";

/** An event for subscribers. */
export interface WebhookEvent {
  /** The type. Only subscribers of exactly this type receive the event. */
  readonly event: string;
  /** By lower-case name, including `content-type`. */
  readonly headers: Readonly<Record<string, string>>;
  /** A secret that signs the event in addition to the secret of each subscription. */
  readonly secret?: string;
  readonly body: Uint8Array;
}

/** The maximum size of an event's type and headers in bytes. Servers refuse more, which would block later events. */
export const largestEventHeaders = 8_000;

/** Whether servers accept the size of the type and headers of an event. */
export function areHeadersShort({ event, headers }: Pick<WebhookEvent, "event" | "headers">): boolean {
  let size = event.length;
  for (const [name, value] of Object.entries(headers)) size += name.length + value.length + 4;
  return size <= largestEventHeaders;
}

/**
 * Accepts events for the current subscribers of `organisation`, or of the portal's own organisation. Resolves when the
 * events can no longer get lost, which is long before they are delivered. Events of consecutive calls are sent in that
 * order.
 */
export type TakeEvents = (events: readonly WebhookEvent[], organisation?: string) => Promise<void>;

/** The entry through which outputs of a gateway pass events to its portal; `take` is absent if there is no portal. */
export const scopedEvents: Scoped<{ take?: TakeEvents }> = { create: () => ({}) };
