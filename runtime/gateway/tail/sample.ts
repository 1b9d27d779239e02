// Samples of messages that operators can look at, and the request for them.

/** Which streams to sample. */
export interface TailRequest {
  readonly streams: readonly { readonly api: string; readonly stream: string }[];
  /** Parts of names whose values are hidden, in addition to those that are always hidden. */
  readonly redact: readonly string[];
}

/** A message as an output received it. */
export interface Sample {
  /** ISO time. */
  readonly at: string;
  /** The content with secrets replaced, at most 4 KiB. Empty if the message is not text. */
  readonly content: string;
  /** Whether `content` was shortened. */
  readonly isCut: boolean;
  /** Bytes of the whole message. */
  readonly size: number;
  readonly metadata: Readonly<Record<string, string>>;
  /** Whether the message went to the dead-letter output. */
  readonly isDeadLetter: boolean;
}

/** The samples of one stream. */
export interface TailedStream {
  readonly api: string;
  readonly stream: string;
  readonly messages: readonly Sample[];
  /** The number of messages that passed and were not sampled. */
  readonly missed: number;
}

/** The most streams that are sampled at a time, for all organisations together. */
export const mostTailed = 64;
/** The most parts of names in one request. */
const mostNames = 200;

/** Parses a request from the network; `undefined` if it is not valid. */
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
  // Refuse a list that is not complete: values that should be hidden would be shown.
  if (names.length !== redact.length || names.length > mostNames) return undefined;
  return { streams: named.slice(0, mostTailed), redact: names };
}
