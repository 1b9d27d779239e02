import { createColors } from "picocolors";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { guardTerminal, withProgress } from "../../compiler/cli/terminal.ts";

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

/** Returns what a guarded stream passes on. */
function guardedWrite(chunk: string | Uint8Array, { isTTY, color }: { isTTY: boolean; color: boolean }) {
  const { NO_COLOR, FORCE_COLOR } = process.env;
  Object.assign(process.env, { NO_COLOR: color ? "" : "1", FORCE_COLOR: color ? "1" : "0" });
  let written = "";
  const stream = Object.assign(Object.create(process.stderr), {
    isTTY,
    write: (text: string | Uint8Array) => {
      written += Buffer.from(text).toString();
      return true;
    },
  });
  try {
    guardTerminal(stream, false);
    guardTerminal(stream, false);
    stream.write(chunk);
  } finally {
    Object.assign(process.env, { NO_COLOR: NO_COLOR ?? "", FORCE_COLOR: FORCE_COLOR ?? "" });
  }
  return written;
}

test("a guarded terminal receives no control character but line feeds, tabs and the colours of commands", () => {
  const controls = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).filter((each) =>
    /[^\P{Cc}\n\t]/u.test(each),
  );
  const sequences = [
    "[2J",
    "]0;title\u0007",
    "[8m",
    "[31;8m",
    "[38;5;1m",
    "[1A",
    "c",
    "[?1049h",
    "P q\u001B\\",
  ];
  const colours = createColors(true);
  for (const odd of [...controls, ...controls.flatMap((each) => sequences.map((rest) => each + rest))])
    for (const color of [false, true]) {
      const { red, bold, dim } = color ? colours : createColors(false);
      const text = `${red(`a${odd}`)}${bold(odd)}\t${dim("é")}\n`;
      for (const chunk of [text, Buffer.from(text)]) {
        const written = guardedWrite(chunk, { isTTY: true, color });
        const own = [red(""), bold(""), dim("")].join("").split(/(?<=m)/);
        const left = own.reduce((rest, code) => (code === "" ? rest : rest.replaceAll(code, "")), written);
        assert.not.match(left, /[^\P{Cc}\n\t]/u, JSON.stringify(odd));
        assert.ok(written.endsWith(`\t${dim("é")}\n`));
        assert.ok(written.startsWith(red("a").slice(0, color ? 6 : 1)));
      }
    }
  assert.is(guardedWrite("a\u0000b\u001B[2J", { isTTY: false, color: false }), "a\u0000b\u001B[2J");
});

test.run();
