// Mistakes about the portal and its deliveries.

import { type Kind, linesWith, replaced } from "../mutation.ts";

export const portal: readonly Kind[] = [
  replaced("portal taken back from its webhooks", /^portal: .*\n(?=(?:.*\n)*webhooks:)/, () => ({
    text: "",
    lines: (changed) => linesWith(changed, /^webhooks:/),
  })),
  replaced(
    "header that the portal writes itself",
    /(?<=event_type: .*\n? *headers: \{ )X-[A-Z][a-z]+(?=: )/,
    () => "webhook-id",
  ),
];
