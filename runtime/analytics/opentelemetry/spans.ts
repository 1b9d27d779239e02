// The queue of spans between their end and the export to the collector.

import type { Logger } from "../../process/log.ts";
import { type AttributeValue, attributesOf, type KeyValue, nanosecondsAt, scope } from "./otlp.ts";
import type { SendOutcome } from "./sender.ts";
import type { SpanSettings } from "./settings.ts";
import type { TraceContext } from "./trace-context.ts";

/** A span that has ended. */
export interface TraceSpan {
  readonly context: TraceContext;
  readonly parent: TraceContext | undefined;
  readonly name: string;
  readonly kind: "internal" | "server" | "consumer";
  /** Times of `performance.now()`. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Readonly<Record<string, AttributeValue | undefined>>;
  /** The spans in other traces that this span also works for. */
  readonly links: readonly TraceContext[];
  /** Why it failed; empty if that is not known. */
  readonly failure: string | undefined;
}

/** Enumeration values of OTLP. */
const kinds = { internal: 1, server: 2, consumer: 5 } as const;
const failed = 2;

/** Waiting spans, which are sent at intervals or when there are enough of them. */
export class Spans {
  readonly #settings: SpanSettings;
  readonly #send: (body: object) => Promise<SendOutcome>;
  readonly #resource: readonly KeyValue[];
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;
  #waiting: TraceSpan[] = [];
  #sending: Promise<void> | undefined;
  #dropped = 0;

  constructor(
    settings: SpanSettings,
    resource: readonly KeyValue[],
    log: Logger,
    send: (body: object) => Promise<SendOutcome>,
  ) {
    this.#settings = settings;
    this.#resource = resource;
    this.#log = log;
    this.#send = send;
    this.#timer = setInterval(() => void this.flush(), settings.delay).unref();
  }

  /** Adds a span; drops it if the queue is full. */
  add(span: TraceSpan): void {
    if (this.#waiting.length >= this.#settings.mostWaiting) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length >= this.#settings.mostSent && this.#sending === undefined) void this.flush();
  }

  /**
   * Sends the waiting spans. Stops at the first response after which the collector may accept them later; keeps these
   * spans.
   */
  flush(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  /** Stops the periodic export. */
  stop(): void {
    clearInterval(this.#timer);
  }

  async #sendAll(): Promise<void> {
    if (this.#dropped > 0) this.#log.warn("spans dropped, the queue is full", { spans: this.#dropped });
    this.#dropped = 0;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, this.#settings.mostSent);
      if ((await this.#send(tracesRequest(batch, this.#resource))) === "again") return;
      this.#waiting = this.#waiting.slice(batch.length);
    }
  }
}

/** Returns the body of a request to `/v1/traces`. */
function tracesRequest(spans: readonly TraceSpan[], resource: readonly KeyValue[]): object {
  return {
    resourceSpans: [
      { resource: { attributes: resource }, scopeSpans: [{ scope, spans: spans.map(printSpan) }] },
    ],
  };
}

function printSpan({
  context,
  parent,
  name,
  kind,
  start,
  end,
  attributes,
  links,
  failure,
}: TraceSpan): object {
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    ...(parent !== undefined && { parentSpanId: parent.spanId }),
    flags: 1,
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanosecondsAt(start),
    endTimeUnixNano: nanosecondsAt(end),
    attributes: attributesOf(attributes),
    ...(links.length > 0 && { links: links.map(({ traceId, spanId }) => ({ traceId, spanId })) }),
    ...(failure !== undefined && { status: { code: failed, ...(failure !== "" && { message: failure }) } }),
  };
}
