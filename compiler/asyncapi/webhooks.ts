// Outputs that hand messages to the subscribers of the developer portal.

import { descriptorOf } from "../../schemas/component.ts";
import type { ComponentNode, StreamNode } from "../trees/api.ts";
import { componentPaths } from "../trees/component-paths.ts";

/** An output that hands messages to the subscribers of an event. */
export interface WebhookOutput {
  readonly component: ComponentNode;
  readonly event: string;
}

/** Also those inside other components; events that only the environment knows are left out. */
export function webhooksOf(stream: StreamNode): readonly WebhookOutput[] {
  return [...componentPaths(stream).keys()].flatMap((component) => {
    const isWebhook = component.role === "output" && descriptorOf("output", component)?.isPortalWebhook;
    if (isWebhook !== true || component.config.kind !== "Object") return [];
    const event = component.config.fields.find(({ name }) => name === "event_type")?.value;
    return event?.kind === "Literal" && typeof event.value === "string"
      ? [{ component, event: event.value }]
      : [];
  });
}
