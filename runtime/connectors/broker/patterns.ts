import type { Delivered, Output } from "../../component/component.ts";
import { findHeld, writeThroughGate } from "../../component/gate.ts";
import { joinDelivered } from "../../component/outcomes.ts";
import { writePersistently } from "../../component/persistence.ts";
import type { Batch, Message } from "../../message/message.ts";
import { FreeOutputs } from "./free-outputs.ts";
import type { BrokerOutputOptions } from "./generated/output-options.ts";
import type { Running } from "./running.ts";

/** Who gets a batch. */
export interface Pattern {
  /** Whether every output gets every batch, rather than one of them. */
  readonly reachesAll: boolean;
  write(batch: Batch, running: Running): Promise<Delivered>;
  /** Refuses what waits for an output. */
  release?(): void;
}

export type PatternName = NonNullable<BrokerOutputOptions["pattern"]>;

/** The pattern of that name over `outputs`. */
export function createPattern(name: PatternName, outputs: readonly Output[]): Pattern {
  switch (name) {
    case "fan_out":
      return { reachesAll: true, write: (batch, running) => writeAll(outputs, batch, repeating(running)) };
    case "fan_out_fail_fast":
      return { reachesAll: true, write: (batch) => writeAll(outputs, batch, writeThroughGate) };
    case "fan_out_sequential":
      return {
        reachesAll: true,
        write: (batch, running) => writeInOrder(outputs, batch, repeating(running)),
      };
    case "fan_out_sequential_fail_fast":
      return { reachesAll: true, write: (batch) => writeInOrder(outputs, batch, writeThroughGate) };
    case "round_robin":
      return createRotation(outputs);
    case "greedy":
      return createGreedy(outputs);
  }
}

/** Writes to one output. */
type Write = (output: Output, batch: Batch, place: number) => Promise<Delivered>;

/** One that fails is tried again by itself, so that the others see nothing twice. */
function repeating({ log, signal }: Running): Write {
  return (output, batch, place) =>
    writePersistently(output, batch, {
      log: log.with({ output: place }),
      signal,
      complaint: "an output of the fan-out failed, trying again",
    });
}

function writeAll(outputs: readonly Output[], batch: Batch, write: Write): Promise<Delivered> {
  return joinDelivered(outputs.map((output, place) => write(output, batch, place)));
}

/** The next output gets the batch once the one before has confirmed it. */
async function writeInOrder(outputs: readonly Output[], batch: Batch, write: Write): Promise<Delivered> {
  const response: Message[] = [];
  for (const [place, output] of outputs.entries()) {
    const delivered = await write(output, batch, place);
    response.push(...(delivered.response ?? []));
  }
  return response.length > 0 ? { response } : {};
}

/**
 * Outputs take turns; one that fails leaves the batch to the next. Outputs for clients are passed over while
 * nobody is there, unless that is so for all.
 */
function createRotation(outputs: readonly Output[]): Pattern {
  let turn = 0;
  return {
    reachesAll: false,
    async write(batch, { log, signal }) {
      const begin = turn++;
      const inTurn = outputs.map((_, step) => outputs[(begin + step) % outputs.length] ?? outputs[0]);
      const candidates = inTurn.filter((output) => output !== undefined);
      const present = candidates.filter((output) => isPresent(output) && takes(output, batch));
      let failure: unknown;
      for (const output of present.length > 0 ? present : candidates) {
        try {
          return await writeThroughGate(output, batch);
        } catch (error) {
          failure = error;
          if (signal.aborted || !isPresent(output)) break;
          log.debug("an output failed, the next one gets its turn");
        }
      }
      throw failure;
    },
  };
}

/** Whichever output is free first. A failure goes to the input. */
function createGreedy(outputs: readonly Output[]): Pattern {
  const free = new FreeOutputs(outputs);
  return {
    reachesAll: false,
    async write(batch, { signal }) {
      const output = await free.take((each) => takes(each, batch), signal);
      try {
        return await writeThroughGate(output, batch);
      } finally {
        free.give(output);
      }
    },
    release: () => free.release(),
  };
}

function isPresent({ demand }: Output): boolean {
  return demand === undefined || demand.wanted;
}

/** Whether no message of the batch would be held up in front of the output. */
function takes(output: Output, batch: Batch): boolean {
  return batch.every((_, index) => findHeld(output, batch, index) === undefined);
}
