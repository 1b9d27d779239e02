import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { Ledger } from "../crash/ledger.ts";
import { numberOf } from "../crash/source.ts";
import { until } from "../harness/wait.ts";

/** A client of an event stream that reads at a given speed. */
export interface EventReader {
  readonly ledger: Ledger;
  /** Bytes to read each quarter of a second; `Infinity` to read without a limit. */
  speed: number;
  /** Resolves when the gateway has ended the connection. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Connects when the gateway serves the stream. Received messages are noted in `ledger`. */
export async function readEvents(url: string, speed: number, ledger = new Ledger()): Promise<EventReader> {
  const response = await until(() => connectTo(url), { what: "the event stream" });
  response.on("error", () => undefined); // the gateway dropped the client, and `ended` resolves
  const ended = new Promise<void>((resolve) => response.once("close", resolve));
  const reader = { ledger, speed, ended, close: () => response.destroy() };
  void pump(response, reader);
  return reader;
}

async function connectTo(url: string): Promise<IncomingMessage> {
  const [response] = (await once(get(url), "response")) as [IncomingMessage];
  if (response.statusCode === 200) return response;
  response.destroy();
  throw new Error(`${url} answers ${response.statusCode}`);
}

/** Reads as much from the connection as the speed allows; the rest stays in the connection and fills it. */
async function pump(response: IncomingMessage, reader: EventReader): Promise<void> {
  let rest = "";
  while (!response.destroyed) {
    for (let budget = reader.speed; budget > 0; ) {
      const chunk: Buffer | null = response.read();
      if (chunk === null) break;
      budget -= chunk.length;
      const lines = (rest + chunk.toString("latin1")).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.startsWith("data:")) reader.ledger.add(numberOf(line.slice(5)));
    }
    await pause(reader.speed === Number.POSITIVE_INFINITY ? 5 : 250);
  }
}
