// Runs `sluice top`: reads the state of a gateway periodically and shows a frame each time.

import { setTimeout as pause } from "node:timers/promises";
import { misuse } from "../../compiler/cli/exit-codes.ts";
import { sendControls, useColor, withoutControls } from "../../compiler/cli/terminal.ts";
import { AdminFailure, type Look, lookAt } from "./admin-client.ts";
import { frameOf, type Loss } from "./frame.ts";

/** Options of `sluice top`. */
export interface TopOptions {
  /** Milliseconds. */
  readonly interval: number;
  readonly count?: number;
}

/**
 * Shows frames until a signal, a key or their number ends it. Returns the exit code. At a terminal, an unreachable
 * gateway, for example one that restarts, is tried again below its last frame; elsewhere it ends the command.
 */
export async function runTop(address: string, options: TopOptions): Promise<number> {
  const url = parseAddress(address);
  if (url === undefined) {
    return misuse("expected an address such as http://127.0.0.1:8081, without credentials");
  }
  const stop = new AbortController();
  const screen = openScreen(() => stop.abort());
  try {
    await showFrames(url, screen, options, stop.signal);
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

async function showFrames(
  url: URL,
  screen: Screen,
  { interval, count }: TopOptions,
  signal: AbortSignal,
): Promise<void> {
  const token = process.env.GW_ADMIN_TOKEN || undefined;
  let before: Look | undefined;
  let lost = undefined as Loss | undefined;
  let now = await lookAt(url, token, signal);
  const show = () => {
    const looks = { before, now, lost };
    screen.show((size) => frameOf(url.origin, looks, { color: useColor(process.stdout), ...size }));
  };
  // Rates need two states: at a terminal the first frame has no rates, elsewhere it waits for the second state.
  if (screen.isTerminal) show();
  for (let shown = 0; count === undefined || shown < count; shown++) {
    await pause(interval, undefined, { signal });
    try {
      const next = await lookAt(url, token, signal);
      [before, now, lost] = [now, next, undefined];
    } catch (error) {
      if (!screen.isTerminal || !(error instanceof AdminFailure) || signal.aborted) throw error;
      lost = { reason: error.message, since: lost?.since ?? Date.now() };
    }
    show();
  }
}

function parseAddress(text: string): URL | undefined {
  const url = URL.parse(text.endsWith("/") ? text : `${text}/`);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return undefined;
  return url.username === "" && url.password === "" ? url : undefined;
}

interface Size {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

interface Screen {
  readonly isTerminal: boolean;
  /** Shows a frame, and lays it out again whenever the size of the terminal changes. */
  show(frame: (size: Size) => readonly string[]): void;
  close(): void;
}

/**
 * Opens the output. A terminal shows each frame in place of the previous one; other outputs get them one after the
 * other.
 */
function openScreen(onQuit: () => void): Screen {
  process.once("SIGINT", onQuit).once("SIGTERM", onQuit);
  const release = () => process.off("SIGINT", onQuit).off("SIGTERM", onQuit);
  const { stdout, stdin } = process;
  if (stdout.isTTY !== true) {
    const show: Screen["show"] = (frame) => stdout.write(`${frame({}).join("\n")}\n\n`);
    return { isTerminal: false, show, close: release };
  }
  let isOpen = true;
  const onKey = (key: Buffer) => {
    if (key.includes("q") || key.includes("\u0003")) onQuit();
  };
  if (stdin.isTTY === true) stdin.setRawMode(true).on("data", onKey);
  sendControls(stdout, "\u001B[?1049h\u001B[?25l");
  let draw = () => {};
  const redraw = () => draw();
  stdout.on("resize", redraw);
  return {
    isTerminal: true,
    show: (frame) => {
      draw = () => {
        const { columns, rows } = stdout;
        // A pseudo-terminal without a size reports 0.
        const lines = frame({ columns: columns || undefined, rows: rows || undefined });
        const shown = lines.map((line) => `${withoutControls(line, useColor(stdout))}\u001B[K`);
        sendControls(stdout, `\u001B[H${shown.join("\r\n")}\u001B[J`);
      };
      draw();
    },
    close: () => {
      release();
      if (!isOpen) return;
      isOpen = false;
      stdout.off("resize", redraw);
      if (stdin.isTTY === true) stdin.setRawMode(false).off("data", onKey).pause();
      sendControls(stdout, "\u001B[?25h\u001B[?1049l");
    },
  };
}
