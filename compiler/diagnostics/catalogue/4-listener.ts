// Document meaning: what the listener is asked for, and where APIs are found behind it.

import { entry } from "../diagnostic.ts";

export const listenerEntries = {
  GW4250: entry<Record<never, never>>({
    slug: "client-authority-missing",
    severity: "error",
    message: () => "Clients have to show a certificate, and no authority is named that issues them.",
    hint: () => "Add `client_ca_file`, or let clients in without one by `client_certificates: optional`.",
  }),
  GW4251: entry<{ field: string }>({
    slug: "no-time-at-all",
    severity: "error",
    message: (d) => `\`${d.field}\` leaves clients no time at all.`,
    hint: () => "Write how long they may take, such as `30s`; it cannot be switched off.",
  }),
};
