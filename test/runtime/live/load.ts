import { setTimeout as pause } from "node:timers/promises";
import { Kafka, logLevel } from "kafkajs";
import { WebSocket } from "ws";
import { until } from "../../harness/wait.ts";

/** How often one receiver got each numbered message, and from which version. Stores numbers, not texts. */
export class Receipts {
  readonly #times: Uint8Array;
  readonly #versions: Uint8Array;
  readonly name: string;
  received = 0;
  /** The version of the latest message. */
  latest = 0;

  constructor(name: string, most: number) {
    this.name = name;
    this.#times = new Uint8Array(most);
    this.#versions = new Uint8Array(most);
  }

  /** Records a message: `17-3` is message 17, processed by version 3. */
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

  /** Returns the faults among the first `sent` messages; empty if each arrived exactly once. */
  faults(sent: number): readonly string[] {
    const faults: string[] = [];
    for (let number = 0; number < sent; number += 1) {
      const times = this.#times[number];
      if (times !== 1) faults.push(`${this.name}: message ${number} came ${times} times`);
    }
    return faults;
  }
}

/** A client that must stay connected. */
export interface Client {
  readonly receipts: Receipts;
  /** Whether the other side has ended the connection. */
  readonly isDropped: () => boolean;
  close(): void;
}

/** Starts a client of an event stream that keeps no events. */
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

/** Starts a client of a socket that keeps no frames. */
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
  /** Messages per second so far. On a busy machine there are fewer than requested. */
  readonly rate: number;
  /** Resolves when the last message is written. */
  stop(): Promise<void>;
}

/** Writes numbers from 0 on: `rate` per second, `most` in total. */
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

/** Milliseconds between two requests of a client. Without a pause, the load takes the processor from the gateway. */
const requestInterval = 5;

/** Sends one request after another, each with the next number. Records every response that is not 200. */
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
