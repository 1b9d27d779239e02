import { test } from "uvu";
import * as assert from "uvu/assert";
import { withProgress } from "../../compiler/cli/terminal.ts";

/** Returns what is written to standard error while `work` runs; `isTTY`: whether standard error is a terminal. */
async function writtenDuring(isTTY: boolean, work: (shown: Promise<void>) => Promise<void>): Promise<string> {
  const { stderr } = process;
  const { write, isTTY: before } = stderr;
  let written = "";
  const shown = new Promise<void>((resolve) => {
    stderr.write = (text: string | Uint8Array): boolean => {
      written += String(text);
      resolve();
      return true;
    };
  });
  stderr.isTTY = isTTY;
  try {
    await withProgress("compiling orders.yaml", () => work(shown));
  } finally {
    Object.assign(stderr, { write, isTTY: before });
  }
  return written;
}

test("slow work is named on a terminal, and the line is cleared at its end", async () => {
  const written = await writtenDuring(true, (shown) => shown);
  assert.is(written, "compiling orders.yaml …\r\u001B[K");
});

test("failed work clears the line too", async () => {
  const failing = writtenDuring(true, async (shown) => {
    await shown;
    throw new Error("broken");
  });
  assert.is(await failing.catch((error: Error) => error.message), "broken");
});

test("quick work prints nothing, and neither does work that writes to a pipe", async () => {
  assert.is(await writtenDuring(true, async () => {}), "");
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, 1100); // a terminal gets a line after one second
  assert.is(await writtenDuring(false, () => promise), "");
});

test.run();
