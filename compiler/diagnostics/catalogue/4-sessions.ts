// Document meaning: what a connection and its session are asked for together.

import { entry } from "../diagnostic.ts";

export const sessionEntries = {
  GW4185: entry<{ field: string; other: string; needed: string | number | boolean }>({
    slug: "field-needs-value",
    severity: "error",
    message: (d) => `\`${d.field}\` works only with \`${d.other}: ${d.needed}\`.`,
    hint: (d) => `Set \`${d.other}: ${d.needed}\`, or remove \`${d.field}\`.`,
  }),
  GW4186: entry<Record<never, never>>({
    slug: "session-under-changing-name",
    severity: "warning",
    message: () => "A kept session is never found again under a name that changes.",
    hint: () => "Remove `dynamic_client_id_suffix`, or let go of the session with `clean_session: true`.",
  }),
};
