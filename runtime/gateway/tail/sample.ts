// What is shown of messages, and who asks for it.

/** What to look at. */
export interface TailRequest {
  readonly streams: readonly { readonly api: string; readonly stream: string }[];
  /** Parts of names whose values are not shown, besides those that never are. */
  readonly redact: readonly string[];
}

/** A message as it was given to an output. */
export interface Sample {
  /** ISO time. */
  readonly at: string;
  /** What it holds, with secrets replaced; at most 4 KiB of it. Empty for what is not text. */
  readonly content: string;
  /** Whether `content` is not all of it. */
  readonly isCut: boolean;
  /** Bytes of the whole. */
  readonly size: number;
  readonly metadata: Readonly<Record<string, string>>;
  /** Whether it went to the dead-letter output. */
  readonly isDeadLetter: boolean;
}

/** What was seen of one stream. */
export interface TailedStream {
  readonly api: string;
  readonly stream: string;
  readonly messages: readonly Sample[];
  /** Messages that passed without being shown. */
  readonly missed: number;
}

/** Streams that are looked at at once, of all organisations. */
export const mostTailed = 64;
/** Parts of names that are asked for at most. */
const mostNames = 200;

/** A request as it came over the network; `undefined` for what is not one. */
export function readTailRequest(value: unknown): TailRequest | undefined {
  const { streams, redact }: Partial<Record<keyof TailRequest, unknown>> =
    typeof value === "object" && value !== null ? value : {};
  if (!Array.isArray(streams) || !Array.isArray(redact)) return undefined;
  const named = streams.flatMap((each: unknown) => {
    const { api, stream }: { api?: unknown; stream?: unknown } =
      typeof each === "object" && each !== null ? each : {};
    return typeof api === "string" && typeof stream === "string" ? [{ api, stream }] : [];
  });
  const names = redact.filter((each: unknown) => typeof each === "string" && each !== "");
  // Less than what is to be hidden must not be taken for all of it.
  if (names.length !== redact.length || names.length > mostNames) return undefined;
  return { streams: named.slice(0, mostTailed), redact: names };
}
