// Reads the file at a path as text. Refuses files that are not text.

import type { Report } from "../../diagnostics/sink.ts";
import { suggest } from "../../diagnostics/suggest.ts";
import { findChange } from "../../source/edited-places.ts";
import { createSourceFile, type SourceFile, type Span, spanOf } from "../../source/source.ts";
import type { FileSystem } from "./file-system.ts";
import { folderOf, nameOf } from "./paths.ts";

/** The dependencies and options of reading a document. */
export interface ReadOptions {
  readonly fileSystem: FileSystem;
  readonly report: Report;
  /** The size in bytes above which a file is refused. */
  readonly limit: number;
  /** Returns an earlier text of a path that contained no refused character. */
  readonly knownText?: ((path: string) => string | undefined) | undefined;
}

/**
 * Reads the file at `path`; returns `undefined` after a report if it cannot be read. `named` is the place where the
 * user named the file, and the place of the report. Without it the report refers to the start of the file itself.
 */
export async function readSourceFile(
  path: string,
  options: ReadOptions,
  named?: Span,
): Promise<SourceFile | undefined> {
  const { report, limit } = options;
  const span = named ?? spanOf(createSourceFile(path, ""), 0, 0);
  const open = options.fileSystem.textOf?.(path);
  if (open !== undefined && Buffer.byteLength(open) <= limit)
    return refuseEmpty(
      refuseControls(createSourceFile(path, open), report, options.knownText?.(path)),
      path,
      report,
      named,
    );
  let bytes: Uint8Array;
  try {
    bytes = await options.fileSystem.readFile(path, limit);
  } catch (error) {
    await reportUnreadable(path, error, options, span);
    return undefined;
  }
  if (bytes.length > limit) {
    report("GW1003", span, { path, limit });
    return undefined;
  }
  return refuseEmpty(decodeFile(path, bytes, report), path, report, named);
}

/** Whether the file at `path` can be read, whatever its content. Reports at `named` if not. */
export async function isReadable(path: string, options: ReadOptions, named: Span): Promise<boolean> {
  const { fileSystem, limit } = options;
  if (fileSystem.textOf?.(path) !== undefined) return true;
  try {
    await fileSystem.readFile(path, limit);
    return true;
  } catch (error) {
    await reportUnreadable(path, error, options, named);
    return false;
  }
}

function refuseEmpty(
  file: SourceFile | undefined,
  path: string,
  report: Report,
  named: Span | undefined,
): SourceFile | undefined {
  if (file === undefined || /\S/.test(file.text)) return file;
  report("GW1006", named ?? spanOf(file, 0, 0), { path });
  return undefined;
}

async function reportUnreadable(
  path: string,
  error: unknown,
  options: ReadOptions,
  span: Span,
): Promise<void> {
  const { report } = options;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT" || code === "ENOTDIR") {
    report("GW1001", span, { path, closest: await findClosest(path, options.fileSystem) });
  } else {
    const reason =
      code === "EISDIR" ? "folder" : code === "EACCES" || code === "EPERM" ? "permission" : "other";
    report("GW1002", span, { path, reason, text: typeof code === "string" ? code : String(error) });
  }
}

/** Returns the file in the same folder whose name is most similar. */
async function findClosest(path: string, fileSystem: FileSystem): Promise<string | undefined> {
  const folder = folderOf(path);
  try {
    const name = nameOf(path);
    // A link to a file that does not exist has the name itself.
    const names = (await fileSystem.list(folder === "" ? "." : folder))
      .map((entry) => entry.name)
      .filter((each) => each !== name);
    const closest = suggest(name, names.toSorted());
    return closest === undefined ? undefined : folder === "" ? closest : `${folder}/${closest}`;
  } catch {
    // The folder does not exist either: there is nothing to suggest.
    return undefined;
  }
}

const lossyDecoder = new TextDecoder("utf-8", { ignoreBOM: true });
const strictDecoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

/** Decodes UTF-8. Refuses other bytes, and control characters that no document may contain. */
export function decodeFile(path: string, bytes: Uint8Array, report: Report): SourceFile | undefined {
  const text = decodeStrictly(bytes);
  if (text === undefined) {
    const at = findBadByte(bytes);
    const file = createSourceFile(path, lossyDecoder.decode(bytes));
    const before = createSourceFile(path, lossyDecoder.decode(bytes.subarray(0, at))).text.length;
    report("GW1004", spanOf(file, before, before + 1), { byte: bytes[at] ?? 0 });
    return undefined;
  }
  return refuseControls(createSourceFile(path, text), report);
}

/** `before`: an earlier text without control characters. Only the difference is searched. */
function refuseControls(file: SourceFile, report: Report, before?: string): SourceFile | undefined {
  const { start, length } =
    before === undefined ? { start: 0, length: file.text.length } : findChange(before, file.text);
  const found = findControl(file.text.slice(start, start + length));
  const control = found === -1 ? -1 : start + found;
  if (control === -1) return file;
  const code = file.text.charCodeAt(control);
  // In UTF-16, one byte of each ASCII character is zero.
  const isWide = control <= 1 && code === 0 && file.text.charCodeAt(control + 2) === 0;
  report("GW1005", spanOf(file, control, control + 1), { code, isWide });
  return undefined;
}

/** Returns the offset of the first control character that no document may contain; -1 if there is none. */
function findControl(text: string): number {
  const first = text.search(controlCharacters);
  const deleted = text.indexOf("\x7f");
  return first === -1 || deleted === -1 ? Math.max(first, deleted) : Math.min(first, deleted);
}

/** All but U+007F, with which V8 takes two to three times as long. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point.
const controlCharacters = /[\x00-\x08\x0b\x0c\x0e-\x1f]/;

function decodeStrictly(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    // The decoder does not say where the error is: `findBadByte` finds it.
    return undefined;
  }
}

/** Returns the index of the first byte that is not UTF-8 or begins an incomplete character. */
function findBadByte(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isDecodable(bytes.subarray(0, middle), true)) good = middle;
    else bad = middle;
  }
  // The longest prefix that may be completed can end up to three bytes into the broken character.
  while (good > 0 && !isDecodable(bytes.subarray(0, good), false)) good--;
  return good;
}

function isDecodable(bytes: Uint8Array, mayGoOn: boolean): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: mayGoOn });
    return true;
  } catch {
    // A text that cannot be decoded is an expected result here, not a failure.
    return false;
  }
}
