// The streams of one API: what they do, and what operators do to them.

import { byId } from "../kit/elements.ts";
import { button, say } from "../kit/messages.ts";
import { type Cell, fill } from "../kit/tables.ts";
import { askService } from "./ask.ts";
import { countOf, type Measured, rateOf, readStreams, stateOf } from "./streams.ts";
import { startTail } from "./tail.ts";

/** Shows the streams of an API as they are now. */
export async function showStreams(api: string): Promise<void> {
  const streams = await readStreams(api);
  const rows = streams.map((each): [string, readonly Cell[]] => [each.stream, cellsOf(each)]);
  fill(byId<HTMLTableElement>("stream-table"), new Map(rows));
}

function cellsOf(stream: Measured): readonly Cell[] {
  const number = (text: string): Cell => ({ inside: [text], className: "number" });
  const counts = ["received", "written", "failed", "inFlight"].map((name) => number(countOf([stream], name)));
  const command = (word: string, name: string) => {
    const made = button(word, stream.stream, async () => {
      const path = [stream.api_id, stream.stream].map(encodeURIComponent).join("/");
      await askService("POST", `/streams/${path}/${name}`);
      say(`Asked for: ${name} ${stream.stream}.`);
      await showStreams(stream.api_id);
    });
    made.classList.add("small");
    return made;
  };
  const look = button("Watch", stream.stream, () => startTail(stream.api_id, stream.stream));
  look.classList.add("small");
  const acts =
    stream.wanted === "stopped"
      ? [command("Start", "start")]
      : [command("Stop", "stop"), command("Restart", "restart"), look];
  return [
    { inside: [stream.stream] },
    stateOf(stream),
    number(rateOf([stream], "received")),
    number(rateOf([stream], "written")),
    ...counts,
    { inside: acts, className: "acts" },
  ];
}
