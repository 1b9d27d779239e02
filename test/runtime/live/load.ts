import { setTimeout as pause } from "node:timers/promises";
import { Kafka, logLevel } from "kafkajs";
import { WebSocket } from "ws";
import { until } from "../../harness/wait.ts";

/** Numbered messages that one receiver got: how often, and from which version. Holds numbers, not texts. */
export class Receipts {
  readonly #times: Uint8Array;
  readonly #versions: Uint8Array;
  readonly name: string;
  received = 0;
  /** Which version the latest one is from. */
  latest = 0;

  constructor(name: string, most: number) {
    this.name = name;
    this.#times = new Uint8Array(most);
    this.#versions = new Uint8Array(most);
  }

  /** `17-3`: the seventeenth message, processed by version 3. */
  note(text: string): void {
    const [number = 0, version = 0] = text.split("-").map(Number);
    this.received += 1;
    this.latest = version;
    this.#times[number] = (this.#times[number] ?? 0) + 1;
    this.#versions[number] = version;
  }

  versionOf(number: number): number {
    return this.#versions[number] ?? 0;
  }

  /** What is wrong with the first `sent` messages; nothing when each came exactly once. */
  faults(sent: number): readonly string[] {
    const faults: string[] = [];
    for (let number = 0; number < sent; number += 1) {
      const times = this.#times[number];
      if (times !== 1) faults.push(`${this.name}: message ${number} came ${times} times`);
    }
    return faults;
  }
}

/** A client that has to stay connected. */
export interface Client {
  readonly receipts: Receipts;
  /** Whether somebody else has ended it. */
  readonly isDropped: () => boolean;
  close(): void;
}

/** A client of an event stream that keeps no event. */
export async function eventClient(url: string, receipts: Receipts): Promise<Client> {
  const abort = new AbortController();
  const response = await fetch(url, { headers: { accept: "text/event-stream" }, signal: abort.signal });
  if (response.status !== 200 || response.body === null)
    throw new Error(`${url} answered ${response.status}`);
  let isOver = false;
  const read = async (body: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.startsWith("data: ")) receipts.note(line.slice(6));
    }
  };
  void read(response.body)
    .catch(() => undefined)
    .finally(() => {
      isOver = true;
    });
  return { receipts, isDropped: () => isOver, close: () => abort.abort() };
}

/** A client of a socket that keeps no frame. */
export async function frameClient(url: string, receipts: Receipts): Promise<Client> {
  const socket = new WebSocket(url.replace(/^http/, "ws"));
  let isOver = false;
  socket.on("message", (bytes: Buffer) => receipts.note(bytes.toString()));
  socket.on("close", () => {
    isOver = true;
  });
  await until(() => socket.readyState === socket.OPEN);
  return { receipts, isDropped: () => isOver, close: () => socket.close() };
}

/** Writes numbers to a topic at a steady rate. */
export interface Source {
  readonly sent: number;
  /** Messages a second so far, which a busy machine makes fewer than were asked for. */
  readonly rate: number;
  /** Resolves when the last one is written. */
  stop(): Promise<void>;
}

/** Begins with 0; `rate` a second, `most` in all. */
export async function startSource(
  brokers: readonly string[],
  topic: string,
  rate: number,
  most: number,
): Promise<Source> {
  const producer = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).producer();
  await producer.connect();
  const begun = performance.now();
  let sent = 0;
  let isOver = false;
  const sending = (async () => {
    while (!isOver && sent < most) {
      const due = Math.min(most, Math.floor(((performance.now() - begun) / 1000) * rate)) - sent;
      if (due > 0) {
        const from = sent;
        const messages = Array.from({ length: due }, (_, index) => ({ value: `${from + index}` }));
        await producer.send({ topic, messages });
        sent += due;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  return {
    get sent() {
      return sent;
    },
    get rate() {
      return sent / ((performance.now() - begun) / 1000);
    },
    async stop() {
      isOver = true;
      await sending;
      await producer.disconnect();
    },
  };
}

/** Milliseconds between two requests of a client: without them its load takes the processor from what is tested. */
const requestInterval = 5;

/** Requests one after the other, each with the next number; notes every answer that is not 200. */
export function startRequests(url: string): { stop(): Promise<{ sent: number; failed: readonly string[] }> } {
  const failed: string[] = [];
  let sent = 0;
  let isOver = false;
  const sending = (async () => {
    while (!isOver) {
      const number = sent;
      sent += 1;
      const outcome = await fetch(url, { method: "POST", body: `${number}` }).then(
        ({ status }) => status,
        (error: unknown) => String(error),
      );
      if (outcome !== 200) failed.push(`request ${number}: ${outcome}`);
      await pause(requestInterval);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await sending;
      return { sent, failed };
    },
  };
}
