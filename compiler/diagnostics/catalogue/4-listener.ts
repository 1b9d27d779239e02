// Document meaning: what the listener is asked for, and where APIs are found behind it.

import { entry } from "../diagnostic.ts";

/** What holds the name of a version, by `location`. */
const keyed: Readonly<Record<string, string>> = { header: "header", "url-param": "parameter" };

export const listenerEntries = {
  GW4219: entry<{ location: string }>({
    slug: "version-key-missing",
    severity: "error",
    message: (d) => `No \`key\` says which ${keyed[d.location] ?? "place"} names the version.`,
    hint: () => "Add one, such as `key: x-api-version`.",
  }),
  GW4221: entry<{ version: string; api: string; closest: string | undefined }>({
    slug: "version-of-no-api",
    severity: "error",
    message: (d) => `There is no API \`${d.api}\` in this set to be the version \`${d.version}\`.`,
    hint: (d) => (d.closest === undefined ? "Add its document to `apis`." : `Did you mean \`${d.closest}\`?`),
  }),
  GW4222: entry<{ version: string }>({
    slug: "version-twice",
    severity: "error",
    message: (d) => `Two versions are called \`${d.version}\`.`,
    hint: () => "Rename one of them; the API itself is `Default` unless it has a `name`.",
  }),
  GW4223: entry<{ version: string; closest: string | undefined }>({
    slug: "default-version-missing",
    severity: "error",
    message: (d) => `The default version \`${d.version}\` is not served.`,
    hint: (d) =>
      d.closest === undefined ? "Name a version that is, or `self`." : `Did you mean \`${d.closest}\`?`,
  }),
  GW4224: entry<{ version: string; path: string; other: string }>({
    slug: "version-place-taken",
    severity: "error",
    message: (d) =>
      `Requests for the version \`${d.version}\` go to \`${d.other}\`, which listens at \`${d.path}\`.`,
    hint: () => "Rename the version, or give the other API another listen path.",
  }),
  GW4225: entry<{ version: string; api: string }>({
    slug: "version-of-versions",
    severity: "error",
    message: (d) => `\`${d.api}\` cannot be the version \`${d.version}\`: it has versions of its own.`,
    hint: () => "List all versions in one API.",
  }),
  GW4226: entry<{ api: string }>({
    slug: "internal-for-nobody",
    severity: "warning",
    message: (d) => `No request gets to \`${d.api}\`: it is internal, and no API has it as a version.`,
    hint: () => "Name it in `info.versioning.versions` of another API, or set `internal: false`.",
  }),
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
  GW4320: entry<{ field: string }>({
    slug: "overriding-header-allowed",
    severity: "warning",
    message: (d) =>
      `\`${d.field}\` may have the upstream take a request for another one than the gateway has judged.`,
    hint: () => "Remove it, unless the upstream holds what it names to the same rules.",
  }),
};
