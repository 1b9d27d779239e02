// Converts the older notation of scanners: `gzip/csv` for `decompress: { algorithm: gzip, into: { csv: {} } }`. The
// codecs and their meaning are those of the reference engine.

/** The scanner for a codec. */
export interface CodecScanner {
  readonly name: string;
  /** Offset of the codec in the text. */
  readonly start: number;
  readonly end: number;
  readonly options: Readonly<Record<string, CodecOption>>;
}

/** A placeholder for the maximum number of bytes in a message, which is a field next to the codec. */
export const codecLimit = Symbol("limit");

export type CodecOption =
  | string
  | number
  | boolean
  | typeof codecLimit
  | CodecScanner
  | readonly Readonly<Record<string, CodecOption>>[];

/** Why a part of the text is not a valid codec. */
export interface CodecFault {
  readonly start: number;
  readonly end: number;
  /** The reason, in a clause. */
  readonly reason: string;
  /** A valid codec instead. */
  readonly example: string;
}

/** The text between two slashes, and its position. */
interface Part {
  readonly text: string;
  readonly name: string;
  /** The text after the first colon. */
  readonly argument: string | undefined;
  readonly start: number;
  readonly end: number;
}

type Read = CodecScanner | CodecFault;

/** Older names of two chains. */
const olderChains: Readonly<Record<string, string>> = { "csv-gzip": "gzip/csv", "tar-gzip": "gzip/tar" };

/** Returns the scanner for a text, or why it is not a valid codec. */
export function readCodec(text: string): Read {
  const whole = { start: 0, end: text.length };
  if (text === "auto") return byNameOfFile(whole);
  if (!Object.hasOwn(olderChains, text)) return readChain(partsOf(text));
  return readChain(partsOf(olderChains[text] ?? text).map((part) => ({ ...part, ...whole })));
}

function partsOf(text: string): readonly Part[] {
  return [...text.matchAll(/[^/]+|(?<=\/)(?=\/|$)|^(?=\/|$)/g)].map(({ 0: found, index }) => {
    const colon = found.indexOf(":");
    const [name, argument] = colon < 0 ? [found, undefined] : [found.slice(0, colon), found.slice(colon + 1)];
    return { text: found, name, argument, start: index, end: index + found.length };
  });
}

/**
 * Reads a chain from its end: the codec that splits messages comes last, and those that unpack are wrapped around it.
 */
function readChain(parts: readonly Part[]): Read {
  const last = parts.at(-1);
  if (last === undefined) return { start: 0, end: 0, reason: "it is empty", example: "lines" };
  if (isUnpacking(last)) {
    const reason = `\`${last.text}\` must precede a codec that makes messages, such as \`lines\``;
    return { start: last.start, end: last.end, reason, example: `${last.text}/lines` };
  }
  return parts.slice(0, -1).reduceRight<Read>((into, part) => {
    if ("reason" in into) return into;
    if (isUnpacking(part)) return unpack(part, into);
    const read = readPart(part);
    return "reason" in read
      ? read
      : {
          start: part.start,
          end: part.end,
          reason: `nothing can follow \`${part.text}\``,
          example: part.text,
        };
  }, readPart(last));
}

function isUnpacking({ text }: Part): boolean {
  return text === "gzip" || text === "pgzip" || text === "skipbom";
}

function unpack({ text, start, end }: Part, into: CodecScanner): CodecScanner {
  return text === "skipbom"
    ? { name: "skip_bom", start, end, options: { into } }
    : { name: "decompress", start, end, options: { algorithm: text, into } };
}

/** Returns the scanner of a codec that splits messages. */
function readPart({ text, name, argument, start, end }: Part): Read {
  const scanner = (scannerName: string, options: CodecScanner["options"] = {}): CodecScanner => ({
    name: scannerName,
    start,
    end,
    options,
  });
  const fault = (reason: string, example = "lines"): CodecFault => ({ start, end, reason, example });
  const limit: CodecScanner["options"] = { max_buffer_size: codecLimit };
  switch (name) {
    case "delim":
      return argument
        ? scanner("lines", { custom_delimiter: argument, ...limit })
        : fault("it names no delimiter", "delim:;");
    case "regex":
      return argument
        ? scanner("re_match", { pattern: argument, ...limit })
        : fault("it names no pattern", "regex:\\n");
    case "chunker":
      return argument !== undefined && /^\d+$/.test(argument)
        ? scanner("chunker", { size: Number(argument) })
        : fault("it names no number of bytes", "chunker:4096");
    case "csv":
    case "csv-safe": {
      if (argument !== undefined && [...argument].length !== 1)
        return fault("its delimiter is one character", `${name}:;`);
      const goesOn = name === "csv" ? {} : { continue_on_error: true };
      return scanner("csv", { ...(argument !== undefined && { custom_delimiter: argument }), ...goesOn });
    }
    case "avro-ocf":
      return argument === undefined || argument === "marshaler=goavro" || argument === "marshaler=json"
        ? scanner("avro")
        : fault("`marshaler` is `goavro` or `json`", "avro-ocf:marshaler=json");
  }
  switch (text) {
    case "lines":
      return scanner("lines", limit);
    case "all-bytes":
      return scanner("to_the_end");
    case "tar":
      return scanner("tar");
    case "multipart":
      return fault(
        "no scanner makes batches that end at an empty message: use the input `batched` with a `check`",
      );
    default:
      return fault("there is no such codec");
  }
}

/** Returns the scanner for `auto`, which depends on the extension of the file. */
function byNameOfFile({ start, end }: Pick<CodecScanner, "start" | "end">): CodecScanner {
  const scanner = (name: string, options: CodecScanner["options"] = {}) => ({ name, start, end, options });
  return scanner("switch", {
    cases: [
      { re_match_name: "\\.avro$", scanner: scanner("avro") },
      { re_match_name: "\\.csv$", scanner: scanner("csv") },
      { re_match_name: "\\.tar$", scanner: scanner("tar") },
      {
        re_match_name: "\\.(tgz|tar\\.gz|tar\\.gzip)$",
        scanner: scanner("decompress", { algorithm: "gzip", into: scanner("tar") }),
      },
      { scanner: scanner("to_the_end") },
    ],
  });
}
