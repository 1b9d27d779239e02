// Document meaning: inputs and outputs that contain others, and channels between streams.

import { entry } from "../diagnostic.ts";

export const compositeEntries = {
  GW4120: entry<Record<never, never>>({
    slug: "switch-drops",
    severity: "warning",
    message: () => "Messages that match no case of this `switch` are dropped.",
    hint: () => "Add a last case without `check`, or set `strict_mode: true` to reject them.",
  }),
  GW4121: entry<{ field: string }>({
    slug: "batch-without-period",
    severity: "warning",
    message: (d) => `With only \`${d.field}\`, an incomplete batch waits forever.`,
    hint: () => "Add `period`, after which an incomplete batch is sent.",
  }),
  GW4122: entry<{ interval: string; reason: string }>({
    slug: "interval-unreadable",
    severity: "error",
    message: (d) => `\`${d.interval}\` is neither a duration nor a schedule: ${d.reason}.`,
    hint: () => "Write a duration (`5s`) or a cron schedule with five or six fields (`30 3 * * *`).",
  }),
  GW4123: entry<{ channel: string }>({
    slug: "channel-without-reader",
    severity: "warning",
    message: (d) => `No stream reads the channel \`${d.channel}\`, so its messages wait forever.`,
    hint: (d) => `Add a stream whose input is \`inproc: ${d.channel}\`.`,
  }),
  GW4124: entry<{ channel: string }>({
    slug: "channel-without-writer",
    severity: "warning",
    message: (d) => `No stream writes to the channel \`${d.channel}\`, so this input never gets a message.`,
    hint: (d) => `Add an output \`inproc: ${d.channel}\` to another stream.`,
  }),
  GW4125: entry<{ endpoint: string }>({
    slug: "copies-of-an-endpoint",
    severity: "error",
    message: (d) => `\`${d.endpoint}\` serves routes, which its copies would serve too.`,
    hint: () => "Remove `copies`. One endpoint serves any number of clients.",
  }),
  GW4126: entry<{ channel: string }>({
    slug: "channel-in-a-circle",
    severity: "warning",
    message: (d) => `This stream reads what it writes to \`${d.channel}\`, which is a loop.`,
    hint: () => "Write to another channel, or end the loop with a condition and suppress this warning.",
  }),
  GW4127: entry<{ pattern: string; reason: string }>({
    slug: "error-pattern-unreadable",
    severity: "error",
    message: (d) => `\`${d.pattern}\` is not a valid regular expression: ${d.reason}.`,
    hint: () => "Use the syntax of RE2.",
  }),
};
