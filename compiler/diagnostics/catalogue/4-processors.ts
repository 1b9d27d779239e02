// Document meaning: values that processors cannot work with.

import { entry } from "../diagnostic.ts";
import { respell } from "../fixes/respell.ts";
import type { Nearest } from "../suggest.ts";

export const processorEntries = {
  GW4150: entry<{ reason: string }>({
    slug: "invalid-json-schema",
    severity: "error",
    message: (d) => `This is not a valid JSON Schema: ${d.reason}.`,
    hint: () => "Write a schema as JSON that refers only to its own parts.",
  }),
  GW4151: entry<{ name: string } & Nearest>({
    slug: "unknown-branch",
    severity: "error",
    message: (d) => `Unknown branch \`${d.name}\`.`,
    hint: (d) =>
      d.closest === undefined
        ? "Use the names of branches of this workflow."
        : `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respell(span, d.name, d),
  }),
  GW4152: entry<{ name: string }>({
    slug: "branch-not-in-order",
    severity: "error",
    message: (d) => `\`order\` does not contain the branch \`${d.name}\`.`,
    hint: () => "Add it to a list of `order`, or remove `order`.",
  }),
  GW4153: entry<{ name: string }>({
    slug: "branch-twice-in-order",
    severity: "error",
    message: (d) => `\`order\` contains the branch \`${d.name}\` twice.`,
    hint: () => "Remove one of the two.",
  }),
  GW4154: entry<{ names: readonly string[] }>({
    slug: "circular-branches",
    severity: "error",
    message: (d) => `The branches ${d.names.map((name) => `\`${name}\``).join(", ")} depend on each other.`,
    hint: () => "Set `order` to define which of them run first.",
  }),
  GW4155: entry<{ component: string; field: string; reason: string; hint: string | undefined }>({
    slug: "unusable-option",
    severity: "error",
    message: (d) => `\`${d.field}\` of \`${d.component}\` cannot be used: ${d.reason}.`,
    hint: (d) => d.hint,
  }),
  GW4195: entry<{ label: string; found: string }>({
    slug: "declared-processor-no-branch",
    severity: "error",
    message: (d) => `\`${d.label}\` is declared as \`${d.found}\`, not as a \`branch\`.`,
    hint: () => "Move it to `processors` of a `branch`.",
  }),
  GW4196: entry<{ name: string }>({
    slug: "branch-declared-twice",
    severity: "error",
    message: (d) => `Duplicate branch \`${d.name}\`.`,
    hint: () => "Rename or remove one of the two.",
  }),
};

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
  GW4124: entry<{ channel: string } & Partial<Nearest>>({
    slug: "channel-without-writer",
    severity: "warning",
    message: (d) =>
      d.closest === undefined
        ? `No stream writes to the channel \`${d.channel}\`, so this input never gets a message.`
        : `Streams write to \`${d.closest}\`, which none reads, and never to \`${d.channel}\`.`,
    hint: (d) =>
      d.closest === undefined
        ? `Add an output \`inproc: ${d.channel}\` to another stream.`
        : `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respell(span, d.channel, d),
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
  GW4128: entry<{ channel: string; stream: string }>({
    slug: "dead-letters-in-a-circle",
    severity: "warning",
    message: (d) => `Failed messages of \`${d.stream}\` go to \`${d.channel}\`, which the stream reads.`,
    hint: () => "Write dead letters to another topic, or they fail again without end.",
  }),
  GW4129: entry<{ columns: number; values: number }>({
    slug: "values-of-other-columns",
    severity: "warning",
    message: (d) =>
      `\`args_mapping\` gives ${d.values === 1 ? "one value" : `${d.values} values`} for ${d.columns === 1 ? "one column" : `${d.columns} columns`}.`,
    hint: () => "Give a value for each of `columns`, in their order.",
  }),
  GW4130: entry<{ label: string; stream: string }>({
    slug: "label-given-twice",
    severity: "warning",
    message: (d) => `Another component of \`${d.stream}\` has the label \`${d.label}\`.`,
    hint: () => "Change one of them: logs, metrics and traces tell components apart by their labels.",
  }),
  GW4131: entry<Readonly<Record<never, never>>>({
    slug: "cache-keeps-nothing",
    severity: "warning",
    message: () => "`set` without `value` keeps an empty text under the key.",
    hint: () => "Say what to keep, such as `value: ${! content() }`.",
  }),
  GW4127: entry<{ pattern: string; reason: string }>({
    slug: "error-pattern-unreadable",
    severity: "error",
    message: (d) => `\`${d.pattern}\` is not a valid regular expression: ${d.reason}.`,
    hint: () => "Use the syntax of RE2.",
  }),
};
