// What a stream gives to the components it holds, as tests want it: everything said is kept.

import type { ComponentContext, Delivered, InputContext } from "../../../runtime/component/component.ts";
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

/** A logger that keeps its lines. */
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

/** The context of an output or a processor, with what it logged. */
export function componentContext(): ComponentContext & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  return { log: recordingLogger(lines), signal: new AbortController().signal, lines };
}

/** A delivery as the pipeline saw it, to be confirmed or refused by the test. */
export interface Delivery {
  readonly batch: Batch;
  readonly text: string;
  confirm(delivered?: Delivered): void;
  refuse(error: Error): void;
}

/** The context of an input whose deliveries wait for the test's word. */
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

/** Notes each outage by its reason when it begins, and as `undefined` when it ends. */
export function outagesInto(reports: (string | undefined)[]): BeginOutage {
  return (reason) => {
    reports.push(reason);
    return () => void reports.push(undefined);
  };
}

/** A blockage as an input begins it. */
export function someBlockage(...texts: readonly string[]): Blockage {
  return blockageOf(batchOf(...texts), new GatewayError(502, "no broker"));
}

/** The content of the messages, separated by blanks. */
export function textOfBatch(batch: Batch): string {
  return batch.map((message) => Buffer.from(message.bytes()).toString()).join(" ");
}

/** A batch of one text message each. */
export function batchOf(...texts: readonly string[]): Batch {
  return texts.map((text) => Message.fromText(text));
}
