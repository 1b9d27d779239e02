// Compares two definitions of an API: what would a deployment of the second change in each stream?

import { type CheckResult, checkDocuments, planChecked } from "../compile.ts";
import { hideSecretsIn } from "../diagnostics/secrets/without-secrets.ts";
import { createMemoryFileSystem } from "../parse/document/file-system.ts";
import { type StreamDigests, streamDigests } from "../plan/digests.ts";
import { printLine } from "../value-types/print.ts";
import { describeStreams } from "./stream-types/describe-streams.ts";

/** A part of a stream that can differ. */
export type ChangedPart = keyof StreamDigests | "messages";

/** The change to one stream. */
export interface StreamDifference {
  readonly stream: string;
  readonly action: "create" | "update" | "delete";
  /** The changed parts of an updated stream. If `shape` is among them, clients have to reconnect. */
  readonly parts: readonly ChangedPart[];
  /** Types of messages after the input and before the output, without secrets; absent if the stream does not exist. */
  readonly before?: MessageTypes;
  readonly after?: MessageTypes;
}

/** The types of messages, one line each. */
export interface MessageTypes {
  readonly input: string;
  readonly output: string;
}

interface DescribedStream {
  readonly digests: StreamDigests;
  readonly messages: MessageTypes;
}

/**
 * Compares the streams of two texts; an absent text has no streams. Returns `undefined` if one of them does not
 * compile on its own, for instance because it uses components of packages.
 */
export async function compareStreams(
  before: string | undefined,
  after: string | undefined,
): Promise<readonly StreamDifference[] | undefined> {
  const [former, next] = [await describe(before), await describe(after)];
  if (former === undefined || next === undefined) return undefined;
  const names = [...new Set([...former.keys(), ...next.keys()])];
  return names.flatMap((stream) => changeOf(stream, former.get(stream), next.get(stream)) ?? []);
}

function changeOf(
  stream: string,
  former: DescribedStream | undefined,
  next: DescribedStream | undefined,
): StreamDifference | undefined {
  const types = {
    ...(former !== undefined && { before: former.messages }),
    ...(next !== undefined && { after: next.messages }),
  };
  if (former === undefined) return { stream, action: "create", parts: [], ...types };
  if (next === undefined) return { stream, action: "delete", parts: [], ...types };
  const parts: ChangedPart[] = (["input", "pipeline", "output", "resources", "shape"] as const).filter(
    (part) => former.digests[part] !== next.digests[part],
  );
  if (JSON.stringify(former.messages) !== JSON.stringify(next.messages)) parts.push("messages");
  return parts.length === 0 ? undefined : { stream, action: "update", parts, ...types };
}

const path = "definition.yaml";
/** Levels of nested objects that are written out. */
const depth = 3;

async function describe(text: string | undefined): Promise<ReadonlyMap<string, DescribedStream> | undefined> {
  if (text === undefined) return new Map();
  const result: CheckResult = await checkDocuments([path], {
    fileSystem: createMemoryFileSystem({ [path]: text }),
  });
  const { plan } = planChecked(result);
  const [api] = plan?.apis ?? [];
  if (result.checked === undefined || api === undefined) return undefined;
  const digests = streamDigests(api);
  const hide = hideSecretsIn(result.checked.files);
  return new Map(
    describeStreams(result.checked).flatMap(({ name, steps }) => {
      const own = digests.get(name);
      const typeAt = (step: string) => {
        const found = steps.find((each) => each.name === step);
        return found === undefined ? "unknown" : hide(printLine(found.message.content, depth));
      };
      const messages = { input: typeAt("input"), output: typeAt("output") };
      return own === undefined ? [] : [[name, { digests: own, messages }] as const];
    }),
  );
}
