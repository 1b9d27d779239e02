import type { Format } from "./format.ts";

/** Maximum length of a path in bytes on Linux, less the terminator and a suffix for temporary files. */
const longestPath = 4090;
const climbing = [/(?:^|[\\/])\.\.(?:[\\/]|$)/, "`..` leaves the permitted folder"] as const;

/** A file to write. */
export const filePath: Format = {
  title: "the path of a file",
  pattern: /^(?!(?:.*[\\/])?\.\.(?:[\\/]|$))[^\p{Cc}\p{Cs}]*[^\\/\p{Cc}\p{Cs}]$/u,
  faults: [climbing, [/[\\/]$/, "it does not name a file"]],
  otherwise: "it contains control characters or unpaired surrogates",
  longest: longestPath,
  example: "./orders/new.jsonl",
};

/** Files to read. `*`, `?`, `[…]` and `**` are wildcards. */
export const filePattern: Format = {
  title: "the path of files",
  pattern: /^[^\p{Cc}\p{Cs}]+$/u,
  faults: [],
  otherwise: "it contains control characters or unpaired surrogates",
  longest: longestPath,
  example: "./orders/*.jsonl",
};

/** A file to read in a list of files, without the special characters of patterns. */
export const fileLiteral: Format = {
  title: "the path of a file without wildcards",
  pattern: /^(?!(?:.*[\\/])?\.\.(?:[\\/]|$))[^*?[\]{}()!+@|,\\\p{Cc}\p{Cs}]+$/u,
  faults: [climbing, [/,/, "commas separate paths"]],
  otherwise: "it contains wildcards",
  longest: longestPath,
  example: "./orders/new.jsonl",
};

/** One name of a path, or a part of one. */
export const fileName: Format = {
  title: "the name of a file without wildcards",
  pattern: /^(?!\.+$)[^/*?[\]{}()!+@|,\\\p{Cc}\p{Cs}]+$/u,
  faults: [
    [/[\\/]/, "slashes separate names"],
    [/,/, "commas separate paths"],
  ],
  otherwise: "it contains wildcards",
  longest: 255,
  example: "new",
};
