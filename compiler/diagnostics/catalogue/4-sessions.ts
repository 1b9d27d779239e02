// Document meaning: settings of a connection and its session that depend on each other.

import { entry } from "../diagnostic.ts";

export const sessionEntries = {
  GW4185: entry<{ field: string; other: string; needed: string | number | boolean }>({
    slug: "field-needs-value",
    severity: "error",
    message: (d) => `\`${d.field}\` requires \`${d.other}: ${d.needed}\`.`,
    hint: (d) => `Set \`${d.other}: ${d.needed}\`, or remove \`${d.field}\`.`,
  }),
  GW4186: entry<Record<never, never>>({
    slug: "session-under-changing-name",
    severity: "warning",
    message: () => "A persistent session cannot be resumed, because the client id changes at each start.",
    hint: () => "Remove `dynamic_client_id_suffix`, or set `clean_session: true`.",
  }),
};
