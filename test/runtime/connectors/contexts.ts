// The contexts that streams pass to their components. They record everything that the components report.

import type {
  ComponentContext,
  Delivered,
  InputContext,
  Output,
} from "../../../runtime/component/component.ts";
import { type Blockage, blockageOf } from "../../../runtime/conditions/blockage.ts";
import { type BeginOutage, Conditions } from "../../../runtime/conditions/conditions.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { type Batch, Message } from "../../../runtime/message/message.ts";
import type { LogFields, Logger } from "../../../runtime/process/log.ts";
import { Queue } from "../../harness/queue.ts";

/** A line of the log. */
export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: LogFields;
}

/** Returns a logger that records its lines. */
export function recordingLogger(lines: LogLine[] = [], base: LogFields = {}): Logger {
  const line =
    (level: LogLine["level"]) =>
    (message: string, fields: LogFields = {}) => {
      lines.push({ level, message, fields: { ...base, ...fields } });
      if (process.env.SHOW_LOG) console.error(level, message, fields);
    };
  return {
    debug: line("debug"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    with: (fields) => recordingLogger(lines, { ...base, ...fields }),
  };
}

/** Returns the context of an output or a processor, and the lines that it logs. */
export function componentContext(): ComponentContext & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  return { log: recordingLogger(lines), signal: new AbortController().signal, lines };
}

/** A delivery as the pipeline receives it. The test confirms or refuses it. */
export interface Delivery {
  readonly batch: Batch;
  readonly text: string;
  confirm(delivered?: Delivered): void;
  refuse(error: Error): void;
}

/** Returns the context of an input. Its deliveries wait until the test settles them. */
export function inputContext(): InputContext & {
  readonly lines: LogLine[];
  readonly deliveries: Queue<Delivery>;
  readonly blocked: boolean[];
  readonly blockages: Conditions<Blockage>;
} {
  const deliveries = new Queue<Delivery>();
  const blocked: boolean[] = [];
  const blockages = new Conditions<Blockage>({
    onBegin: () => void (blockages.size === 1 && blocked.push(true)),
    onClear: () => blocked.push(false),
  });
  const component = componentContext();
  return {
    ...component,
    blockages,
    deliveries,
    blocked,
    beginBlockage: blockages.within(component.signal),
    deliver: (batch) =>
      new Promise((confirm, refuse) => {
        deliveries.push({ batch, text: textOfBatch(batch), confirm: (by = {}) => confirm(by), refuse });
      }),
  };
}

/** Records the reason of each outage when it begins, and `undefined` when it ends. */
export function outagesInto(reports: (string | undefined)[]): BeginOutage {
  return (reason) => {
    reports.push(reason);
    return () => void reports.push(undefined);
  };
}

/** Returns a blockage as an input begins it. */
export function someBlockage(...texts: readonly string[]): Blockage {
  return blockageOf(batchOf(...texts), new GatewayError(502, "no broker"));
}

/** Returns the content of the messages, separated by spaces. */
export function textOfBatch(batch: Batch): string {
  return batch.map((message) => Buffer.from(message.bytes()).toString()).join(" ");
}

/** Returns a batch with one message for each text. */
export function batchOf(...texts: readonly string[]): Batch {
  return texts.map((text) => Message.fromText(text));
}

/** Writes messages with `writeEach`; resolves with `confirmed` or the failure of each. */
export function writeOneByOne(output: Output, messages: Batch): Promise<readonly string[]> {
  const outcomes = messages.map(() => Promise.withResolvers<string>());
  output.writeEach?.(messages, {
    confirm: (index) => outcomes[index]?.resolve("confirmed"),
    fail: (index, error) => outcomes[index]?.resolve(error instanceof Error ? error.message : String(error)),
  });
  return Promise.all(outcomes.map(({ promise }) => promise));
}
