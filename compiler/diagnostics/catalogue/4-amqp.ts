// Document meaning: fields of AMQP components.

import { entry } from "../diagnostic.ts";

export const amqpEntries = {
  GW4173: entry<{ what: string }>({
    slug: "acknowledged-before-delivery",
    severity: "warning",
    message: (d) => `\`${d.what}\` acknowledges messages on receipt, so a crash loses messages in flight.`,
    hint: () => "Remove it, so that messages are acknowledged after delivery.",
  }),
  GW4174: entry<{ field: string; mechanism: string }>({
    slug: "login-without-effect",
    severity: "warning",
    message: (d) => `\`${d.field}\` has no effect with the mechanism \`${d.mechanism}\`.`,
    hint: () => "Set `mechanism: plain`, or remove the field.",
  }),
};
