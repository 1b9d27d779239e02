// Document meaning: what AMQP components are told.

import { entry } from "../diagnostic.ts";

export const amqpEntries = {
  GW4173: entry<Record<never, never>>({
    slug: "acknowledged-before-delivery",
    severity: "warning",
    message: () => "A crash loses the messages under way, which `auto_ack` acknowledges when they come.",
    hint: () => "Remove it, so that messages are acknowledged once they are delivered.",
  }),
  GW4174: entry<{ field: string; mechanism: string }>({
    slug: "login-without-effect",
    severity: "warning",
    message: (d) => `\`${d.field}\` does nothing with the mechanism \`${d.mechanism}\`.`,
    hint: () => "Write `mechanism: plain`, or remove it.",
  }),
};
