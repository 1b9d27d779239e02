// `sluice top`: looks at a gateway again and again, and shows a frame each time.

import { setTimeout as pause } from "node:timers/promises";
import { misuse } from "../../compiler/cli/exit-codes.ts";
import { useColor } from "../../compiler/cli/terminal.ts";
import { AdminFailure, type Look, lookAt } from "./admin-client.ts";
import { frameOf } from "./frame.ts";

/** What `sluice top` was told. */
export interface TopOptions {
  /** Milliseconds. */
  readonly interval: number;
  readonly count?: number;
}

/** Shows frames until a signal, a key or their number ends it. Gives the exit code. */
export async function runTop(address: string, { interval, count }: TopOptions): Promise<number> {
  const url = parseAddress(address);
  if (url === undefined) {
    return misuse("expected an address such as http://127.0.0.1:8081, without credentials");
  }
  const stop = new AbortController();
  const screen = openScreen(() => stop.abort());
  try {
    const token = process.env.GW_ADMIN_TOKEN || undefined;
    // Rates need a look before the first frame.
    let before = await lookAt(url, token, stop.signal);
    for (let shown = 0; count === undefined || shown < count; shown++) {
      await pause(interval, undefined, { signal: stop.signal });
      const now: Look = await lookAt(url, token, stop.signal);
      screen.show((size) => frameOf(url.origin, before, now, { color: useColor(process.stdout), ...size }));
      before = now;
    }
    return 0;
  } catch (error) {
    if (stop.signal.aborted) return 0;
    if (!(error instanceof AdminFailure)) throw error;
    screen.close();
    process.stderr.write(`sluice: ${error.message}\n`);
    return 1;
  } finally {
    screen.close();
  }
}

function parseAddress(text: string): URL | undefined {
  const url = URL.parse(text.endsWith("/") ? text : `${text}/`);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return undefined;
  return url.username === "" && url.password === "" ? url : undefined;
}

interface Size {
  readonly columns?: number;
  readonly rows?: number;
}

interface Screen {
  show(frame: (size: Size) => readonly string[]): void;
  close(): void;
}

/** A terminal shows each frame in place of the one before; anything else gets them one after the other. */
function openScreen(onQuit: () => void): Screen {
  process.once("SIGINT", onQuit).once("SIGTERM", onQuit);
  const release = () => process.off("SIGINT", onQuit).off("SIGTERM", onQuit);
  const { stdout, stdin } = process;
  if (stdout.isTTY !== true) {
    return { show: (frame) => stdout.write(`${frame({}).join("\n")}\n\n`), close: release };
  }
  let isOpen = true;
  const onKey = (key: Buffer) => {
    if (key.includes("q") || key.includes("\u0003")) onQuit();
  };
  if (stdin.isTTY === true) stdin.setRawMode(true).on("data", onKey);
  stdout.write("\u001B[?1049h\u001B[?25l");
  return {
    show: (frame) => {
      const { columns, rows } = stdout;
      const lines = frame({ columns, rows });
      stdout.write(`\u001B[H${lines.map((line) => `${line}\u001B[K`).join("\r\n")}\u001B[J`);
    },
    close: () => {
      release();
      if (!isOpen) return;
      isOpen = false;
      if (stdin.isTTY === true) stdin.setRawMode(false).off("data", onKey).pause();
      stdout.write("\u001B[?25h\u001B[?1049l");
    },
  };
}
