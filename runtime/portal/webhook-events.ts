// Events on their way from the streams of a gateway to its portal, which tells subscribers of them.

/** What subscribers are told. */
export interface WebhookEvent {
  /** Its type: subscribers of exactly that one are told. */
  readonly event: string;
  /** By name in lower case, `content-type` among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Signs beside the secret of each subscription. */
  readonly secret?: string;
  readonly body: Uint8Array;
}

/**
 * Takes events for the subscribers there are. Resolves when none of them can get lost any more, which is long before they
 * are told; those that are taken one after another are told in that order. They are for subscribers of `organisation`, or
 * of the portal's own.
 */
export type TakeEvents = (events: readonly WebhookEvent[], organisation?: string) => Promise<void>;

const takers = new WeakMap<object, TakeEvents>();

/** Has the streams of a gateway, which is known by that object, hand their events to `take`. */
export function takeEventsOf(gateway: object, take: TakeEvents): void {
  takers.set(gateway, take);
}

/** What takes the events of a gateway; `undefined` where it has no portal. */
export function findEventTaker(gateway: object): TakeEvents | undefined {
  return takers.get(gateway);
}
