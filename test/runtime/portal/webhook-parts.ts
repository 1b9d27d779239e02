// What webhooks hang on: a developer, a catalogue with events, an app.

import { createDeveloper, type TestPortal, writeDocument } from "./portals.ts";

/** An app of a developer, for a product that offers `order.made` and `order.paid`; another product, `silver`, offers none. */
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
