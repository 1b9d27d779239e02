import type {
  Delivered,
  Input,
  InputContext,
  Output,
  Processor,
} from "../../../runtime/component/component.ts";
import { type Batch, Message } from "../../../runtime/message/message.ts";
import { until } from "../../harness/wait.ts";

/** An input whose messages the test delivers. */
export interface ManualInput extends Input {
  readonly starts: number;
  readonly closes: number;
  /** Delivers one batch with one message for each text. */
  deliver(...texts: string[]): Promise<Delivered>;
  readonly context: InputContext | undefined;
}

/** Returns an input that the test controls. `onStart` may throw to simulate a broker that is unavailable. */
export function manualInput(
  onStart: (attempt: number) => void | Promise<void> = () => undefined,
): ManualInput {
  let context: InputContext | undefined;
  const inFlight = new Set<Promise<unknown>>();
  const counts = { starts: 0, closes: 0 };
  return {
    get starts() {
      return counts.starts;
    },
    get closes() {
      return counts.closes;
    },
    get context() {
      return context;
    },
    async start(given) {
      counts.starts += 1;
      await onStart(counts.starts);
      context = given;
    },
    async deliver(...texts) {
      const started = await until(() => context, { what: "the start of the input" });
      const delivery = started.deliver(texts.map((text) => Message.fromText(text)));
      const settled = delivery.then(
        () => undefined,
        () => undefined,
      );
      inFlight.add(settled);
      return delivery;
    },
    async close() {
      counts.closes += 1;
      await Promise.all(inFlight);
      context = undefined;
    },
  };
}

/** An output that keeps the batches it receives. */
export interface MemoryOutput extends Output {
  readonly batches: readonly Batch[];
  readonly texts: readonly string[];
  readonly closes: number;
}

/** `confirm`: resolves to confirm a batch, rejects to refuse it. */
export function memoryOutput(
  confirm: (batch: Batch) => Delivered | Promise<Delivered> = () => ({}),
): MemoryOutput {
  const batches: Batch[] = [];
  let closes = 0;
  return {
    batches,
    get texts() {
      return batches.flat().map(textOf);
    },
    get closes() {
      return closes;
    },
    async start() {},
    async write(batch) {
      batches.push(batch);
      return confirm(batch);
    },
    async close() {
      closes += 1;
    },
  };
}

/** Returns a step that changes each message; `undefined` drops the message. */
export function each(change: (message: Message) => Message | undefined): Processor {
  return {
    process(batch) {
      const kept = batch.flatMap((message) => change(message) ?? []);
      return kept.length === 0 ? [] : [kept];
    },
  };
}

/** Returns the content of a message as text. */
export function textOf(message: Message): string {
  return Buffer.from(message.bytes()).toString();
}
