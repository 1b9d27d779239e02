// The records that webhooks need: a developer, a catalogue with events, an app.

import { createDeveloper, type TestPortal, writeDocument } from "./portals.ts";

/**
 * Creates an app of a developer for a product that offers `order.made` and `order.paid`. Another product, `silver`,
 * offers no events.
 */
export async function createOffers(
  portal: TestPortal,
): Promise<{ readonly app: string; readonly by_user: string }> {
  const by_user = await createDeveloper(portal);
  const apis = [
    { policy_id: "gold", webhooks: { enabled: true, events: ["order.made", "order.paid"] } },
    { policy_id: "silver", webhooks: { enabled: false, events: ["order.made"] } },
  ];
  await writeDocument(portal, "catalogue", { apis });
  const { body } = await portal.ask("POST", "/apps", { name: "Till", by_user, products: ["gold"] });
  return { app: body.Message, by_user };
}

/** Subscribes an app and returns the path and the secret of its webhook. */
export async function subscribe(
  portal: TestPortal,
  app: string,
  webhook: object,
): Promise<{ readonly path: string; readonly secret: string }> {
  const answer = await portal.ask("POST", `/apps/${app}/webhooks`, { events: ["order.made"], ...webhook });
  const { Message: id, Meta } = answer.body;
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  const made = typeof Meta === "object" && Meta !== null && "secret" in Meta ? String(Meta.secret) : "";
  return { path: `/apps/${app}/webhooks/${id}`, secret: made };
}

/** Publishes events, as other gateways do. */
export async function publish(portal: TestPortal, ...bodies: readonly string[]): Promise<void> {
  await publishEvents(
    portal,
    bodies.map((body) => ({ event_type: "order.made", body })),
  );
}

/** Publishes events of any type with additional fields. Bodies are texts. */
export async function publishEvents(
  portal: TestPortal,
  events: readonly {
    readonly event_type: string;
    readonly body: string;
    readonly [field: string]: unknown;
  }[],
): Promise<void> {
  const packed = events.map((event) => ({ ...event, body: Buffer.from(event.body).toString("base64") }));
  const { status, body } = await portal.ask("POST", "/webhooks/events", { events: packed });
  if (status !== 200) throw new Error(JSON.stringify(body));
}
