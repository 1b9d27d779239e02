import { createReadStream } from "node:fs";
import { glob, stat, unlink } from "node:fs/promises";
import type { Input, InputContext } from "../../component/component.ts";
import { createRedelivery, type Redelivery } from "../../component/redelivery.ts";
import { sourceFrom } from "../../conditions/blockage.ts";
import { GatewayError } from "../../errors.ts";
import type { Value } from "../../message/value.ts";
import { linesScanner } from "../../scanners/lines.ts";
import { splitCommas } from "../../text/trim.ts";
import { type FileInputOptions, fileInputDefaults } from "./generated/input-options.ts";

/**
 * Reads files in the order of `paths`, and what a pattern stands for in the order of names. The next piece is read once
 * the one before it is confirmed. Nobody notes how far a file was read: each start begins with the first one again.
 */
export function fileInput(options: FileInputOptions): Input {
  const { auto_replay_nacks, delete_on_finish } = { ...fileInputDefaults, ...options };
  const { scanner = linesScanner() } = options;
  const closing = new AbortController();
  let running: Promise<void> | undefined;

  async function readFiles(files: readonly string[], context: InputContext): Promise<void> {
    const redelivery = createRedelivery(context, sourceFrom({ path: "path" }));
    for (const path of files) {
      await deliverFile(path, redelivery);
      if (closing.signal.aborted) return;
      context.log.debug("file read", { path });
      if (delete_on_finish) await unlink(path);
    }
    context.reportEnd?.();
  }

  async function deliverFile(path: string, redelivery: Redelivery): Promise<void> {
    const { mtime } = await stat(path);
    const seconds = Math.floor(mtime.getTime() / 1000);
    const metadata = new Map<string, string | number>([
      ["path", path],
      ["mod_time_unix", seconds],
      ["mod_time", new Date(seconds * 1000).toISOString().replace(".000Z", "Z")],
    ]);
    for await (const message of scanner.scan({ bytes: createReadStream(path), name: path })) {
      const own = new Map<string, Value>([...metadata, ...message.metadata]);
      await redelivery.deliver([message.withMetadata(own)], closing.signal);
      if (closing.signal.aborted) return;
    }
  }

  return {
    async start(given) {
      const context: InputContext = auto_replay_nacks ? given : { ...given, maxAttempts: 1 };
      const files = await findFiles(options.paths);
      running = readFiles(files, context).catch((error: unknown) => {
        context.log.error("file cannot be read", { error });
        context.beginOutage?.("file cannot be read");
      });
    },
    async close() {
      closing.abort();
      await running;
    },
  };
}

/** Every file by its path. Rejects where there is none at all. */
async function findFiles(paths: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of paths.flatMap(splitCommas)) {
    const matches: string[] = [];
    for await (const match of glob(path)) matches.push(match);
    if (matches.length === 0) throw new GatewayError(500, `File ${path} not found`);
    found.push(...matches.sort());
  }
  return [...new Set(found)];
}
