// Document meaning: inputs and outputs made of others, and channels between streams.

import { entry } from "../diagnostic.ts";

export const compositeEntries = {
  GW4120: entry<Record<never, never>>({
    slug: "switch-drops",
    severity: "warning",
    message: () => "Messages that no case of this `switch` takes are dropped.",
    hint: () => "Add a last case without `check`, or `strict_mode: true` to refuse them.",
  }),
  GW4121: entry<{ field: string }>({
    slug: "batch-without-period",
    severity: "warning",
    message: (d) => `With \`${d.field}\` alone, messages wait without end while no more come.`,
    hint: () => "Add `period`, after which a batch is complete however small it is.",
  }),
  GW4122: entry<{ interval: string; reason: string }>({
    slug: "interval-unreadable",
    severity: "error",
    message: (d) => `\`${d.interval}\` is neither a duration nor a schedule: ${d.reason}.`,
    hint: () => "Write how often (`5s`), or a schedule of five or six fields (`30 3 * * *`).",
  }),
  GW4123: entry<{ channel: string }>({
    slug: "channel-without-reader",
    severity: "warning",
    message: (d) => `No stream reads the channel \`${d.channel}\`, so messages wait without end.`,
    hint: (d) => `Add a stream whose input is \`inproc: ${d.channel}\`.`,
  }),
  GW4124: entry<{ channel: string }>({
    slug: "channel-without-writer",
    severity: "warning",
    message: (d) => `No stream writes to the channel \`${d.channel}\`, so nothing comes from it.`,
    hint: (d) => `Add an output \`inproc: ${d.channel}\` to another stream.`,
  }),
  GW4125: entry<{ endpoint: string }>({
    slug: "copies-of-an-endpoint",
    severity: "error",
    message: (d) => `\`${d.endpoint}\` serves routes, and copies of it would serve the same ones.`,
    hint: () => "Remove `copies`: one endpoint serves any number of clients at once.",
  }),
  GW4126: entry<{ channel: string }>({
    slug: "channel-in-a-circle",
    severity: "warning",
    message: (d) => `What this stream writes to \`${d.channel}\` comes back to it.`,
    hint: () => "Write to another channel, or end the circle with a condition and suppress this.",
  }),
  GW4127: entry<{ pattern: string; reason: string }>({
    slug: "error-pattern-unreadable",
    severity: "error",
    message: (d) => `\`${d.pattern}\` is no regular expression: ${d.reason}.`,
    hint: () => "Write it in the syntax of RE2.",
  }),
};
