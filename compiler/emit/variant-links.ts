// Processors that are several functions, by the value of one option: a gateway carries the formats and
// algorithms its document names. Refuses nothing: the check knows which values there are.

import type { ComponentPlan } from "../plan/plan.ts";
import type { RuntimeLink } from "./links.ts";

interface Variants {
  /** The option that decides; what stands behind a colon in its value does not. */
  readonly option: string;
  readonly links: Readonly<Record<string, RuntimeLink>>;
}

const archives = "runtime/processors/archives";
const compression = "runtime/processors/compression";

const variants: Readonly<Record<string, Variants>> = {
  archive: {
    option: "format",
    links: {
      binary: { module: `${archives}/binary.ts`, symbol: "archiveBinary" },
      concatenate: { module: `${archives}/lines.ts`, symbol: "archiveConcatenated" },
      json_array: { module: `${archives}/json.ts`, symbol: "archiveJsonArray" },
      lines: { module: `${archives}/lines.ts`, symbol: "archiveLines" },
      tar: { module: `${archives}/tar.ts`, symbol: "archiveTar" },
      zip: { module: `${archives}/zip.ts`, symbol: "archiveZip" },
    },
  },
  unarchive: {
    option: "format",
    links: {
      binary: { module: `${archives}/binary.ts`, symbol: "unarchiveBinary" },
      csv: { module: `${archives}/csv.ts`, symbol: "unarchiveCsv" },
      json_array: { module: `${archives}/json.ts`, symbol: "unarchiveJsonArray" },
      json_documents: { module: `${archives}/json.ts`, symbol: "unarchiveJsonDocuments" },
      json_map: { module: `${archives}/json.ts`, symbol: "unarchiveJsonMap" },
      lines: { module: `${archives}/lines.ts`, symbol: "unarchiveLines" },
      tar: { module: `${archives}/tar.ts`, symbol: "unarchiveTar" },
      zip: { module: `${archives}/zip.ts`, symbol: "unarchiveZip" },
    },
  },
  compress: {
    option: "algorithm",
    links: {
      flate: { module: `${compression}/deflate.ts`, symbol: "compressFlate" },
      gzip: { module: `${compression}/deflate.ts`, symbol: "compressGzip" },
      lz4: { module: `${compression}/lz4.ts`, symbol: "compressLz4" },
      pgzip: { module: `${compression}/deflate.ts`, symbol: "compressGzip" },
      snappy: { module: `${compression}/snappy.ts`, symbol: "compressSnappy" },
      zlib: { module: `${compression}/deflate.ts`, symbol: "compressZlib" },
      zstd: { module: `${compression}/deflate.ts`, symbol: "compressZstd" },
    },
  },
  decompress: {
    option: "algorithm",
    links: {
      bzip2: { module: `${compression}/bzip2.ts`, symbol: "decompressBzip2" },
      flate: { module: `${compression}/deflate.ts`, symbol: "decompressFlate" },
      gzip: { module: `${compression}/deflate.ts`, symbol: "decompressGzip" },
      lz4: { module: `${compression}/lz4.ts`, symbol: "decompressLz4" },
      pgzip: { module: `${compression}/deflate.ts`, symbol: "decompressGzip" },
      snappy: { module: `${compression}/snappy.ts`, symbol: "decompressSnappy" },
      zlib: { module: `${compression}/deflate.ts`, symbol: "decompressZlib" },
      zstd: { module: `${compression}/deflate.ts`, symbol: "decompressZstd" },
    },
  },
};

/** The function for what the component's option says; `undefined` for components that are one function. */
export function findVariant({ role, name, options }: ComponentPlan): RuntimeLink | undefined {
  const known = role === "processor" && Object.hasOwn(variants, name) ? variants[name] : undefined;
  const value = options.fields.find((field) => field.name === known?.option)?.value;
  if (value?.kind !== "Literal" || typeof value.value !== "string") return undefined;
  const [variant = ""] = value.value.split(":", 1);
  return known !== undefined && Object.hasOwn(known.links, variant) ? known.links[variant] : undefined;
}

/** The processors that are several functions. */
export const variantNames: readonly string[] = Object.keys(variants);

/** All rows, for the test that proves them. */
export const variantLinks: readonly RuntimeLink[] = Object.values(variants).flatMap(({ links }) =>
  Object.values(links),
);
