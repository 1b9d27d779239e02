// In a worker: asks the primary to count, for all requests of one turn of the event loop in one message.

import type { CountAnswer, Counters, CountRequest, Occupancy, RateVerdict, Standing } from "../counters.ts";
import { GatewayError } from "../errors.ts";

/** The channel to the primary, as a worker's `process` has it. */
export interface PrimaryChannel {
  readonly connected: boolean;
  send?(message: unknown, callback: (error: Error | null) => void): boolean;
  on(event: "message", listener: (message: unknown) => void): unknown;
  on(event: "disconnect", listener: () => void): unknown;
  off(event: "message", listener: (message: unknown) => void): unknown;
  off(event: "disconnect", listener: () => void): unknown;
}

interface Waiting {
  readonly request: CountRequest;
  readonly resolve: (answer: CountAnswer) => void;
  readonly reject: (error: GatewayError) => void;
}

/** Counters in the primary. A worker whose primary is gone refuses what it cannot count; it ends anyway. */
export function createPrimaryCounters(channel: PrimaryChannel): Counters {
  const sent = new Map<number, readonly Waiting[]>();
  let next: Waiting[] = [];
  let lastId = 0;

  function ask(request: CountRequest): Promise<CountAnswer> {
    return new Promise((resolve, reject) => {
      if (next.length === 0) setImmediate(flush);
      next.push({ request, resolve, reject });
    });
  }

  function flush(): void {
    const asked = next;
    next = [];
    if (!channel.connected) {
      refuse(asked);
      return;
    }
    lastId += 1;
    const id = lastId;
    sent.set(id, asked);
    channel.send?.({ kind: "count", id, requests: asked.map(({ request }) => request) }, (error) => {
      if (error !== null && sent.delete(id)) refuse(asked);
    });
  }

  function hear(message: unknown): void {
    if (!isCounted(message)) return;
    const asked = sent.get(message.id) ?? [];
    sent.delete(message.id);
    asked.forEach(({ resolve, reject }, position) => {
      const answer = message.answers[position];
      if (answer === undefined) reject(notCounted());
      else resolve(answer);
    });
  }

  function lose(): void {
    for (const asked of sent.values()) refuse(asked);
    sent.clear();
  }

  channel.on("message", hear);
  channel.on("disconnect", lose);
  return {
    async take(claims) {
      return asVerdict(await ask({ claims }));
    },
    async enter(seats) {
      const answer = await ask({ seats });
      if ("full" in answer) return answer.full;
      if (!("entered" in answer)) throw notCounted();
      return occupancy(answer.entered, ask);
    },
    async close() {
      channel.off("message", hear);
      channel.off("disconnect", lose);
      lose();
    },
  };
}

function occupancy(place: number, ask: (request: CountRequest) => Promise<CountAnswer>): Occupancy {
  let isOpen = true;
  return {
    leave() {
      if (!isOpen) return;
      isOpen = false;
      // Without a primary it is not counted any more.
      ask({ left: place }).catch(() => undefined);
    },
  };
}

/** What is infinite comes as `null`: messages between processes are JSON. */
function asVerdict(answer: CountAnswer): RateVerdict {
  if (!("standings" in answer)) throw notCounted();
  const number = (value: number | null) => value ?? Number.POSITIVE_INFINITY;
  const standings = answer.standings.map(
    ({ remaining, reset }): Standing => ({ remaining, reset: number(reset) }),
  );
  return { refusedBy: answer.refusedBy, wait: number(answer.wait), standings };
}

interface Counted {
  readonly kind: "counted";
  readonly id: number;
  readonly answers: readonly CountAnswer[];
}

/** The primary says other things, too. */
function isCounted(message: unknown): message is Counted {
  return typeof message === "object" && message !== null && "kind" in message && message.kind === "counted";
}

function refuse(asked: readonly Waiting[]): void {
  for (const { reject } of asked) reject(notCounted());
}

function notCounted(): GatewayError {
  return new GatewayError(503, "Limits cannot be counted", { retryAfter: 1 });
}
