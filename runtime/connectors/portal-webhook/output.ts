import type { Output } from "../../component/component.ts";
import { notConnected } from "../../component/persistence.ts";
import { GatewayError } from "../../errors.ts";
import { scopedEvents, type TakeEvents } from "../../portal/webhook-events.ts";
import { eventsOf } from "./events.ts";
import type { PortalWebhookOutputOptions } from "./generated/output-options.ts";

/** Passes messages to the portal of this gateway, which confirms them when they are stored for all subscribers. */
export function portalWebhookOutput(options: PortalWebhookOutputOptions): Output {
  let take: TakeEvents | undefined;
  let owner: string | undefined;
  return {
    async start({ gateway, organisation }) {
      owner = organisation;
      take = gateway?.get(scopedEvents).take;
      if (take === undefined) throw new GatewayError(503, "This gateway has no portal");
    },
    async write(batch) {
      if (take === undefined) throw notConnected();
      await take(eventsOf(options, batch), owner);
      return {};
    },
    async close() {
      take = undefined;
    },
  };
}
