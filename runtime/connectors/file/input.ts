import { createReadStream } from "node:fs";
import type { Input } from "../../component/component.ts";
import { filesInput } from "../../component/files-input.ts";
import type { Value } from "../../message/value.ts";
import { linesScanner } from "../../scanners/lines.ts";
import { type FileInputOptions, fileInputDefaults } from "./generated/input-options.ts";

/** Reads files message by message, as the scanner splits them. */
export function fileInput(options: FileInputOptions): Input {
  const { scanner = linesScanner() } = options;
  return filesInput({ ...fileInputDefaults, ...options }, async function* (path, metadata) {
    for await (const message of scanner.scan({ bytes: createReadStream(path), name: path })) {
      yield [message.withMetadata(new Map<string, Value>([...metadata, ...message.metadata]))];
    }
  });
}
