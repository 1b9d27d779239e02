import { closeAll, endpointsOf, startOutputs } from "../../component/children.ts";
import type { ComponentContext, Delivered, Output } from "../../component/component.ts";
import { joinDemands } from "../../component/demand.ts";
import { acceptFailure, findHeld, heldFailure, writeThroughGate } from "../../component/gate.ts";
import { joinDelivered } from "../../component/outcomes.ts";
import { notConnected, writePersistently } from "../../component/persistence.ts";
import { GatewayError } from "../../errors.ts";
import type { Batch, Message } from "../../message/message.ts";
import type { Logger } from "../../process/log.ts";
import { queryTrue } from "../../processors/mapping.ts";
import type { SwitchOutputCase, SwitchOutputOptions } from "./generated/output-options.ts";

/** A case, with what the compiler found out about it. */
export interface OutputCase extends SwitchOutputCase {
  /** Its check asks whether a processor failed on the message: it is meant for those that one did. */
  readonly reads_failure?: boolean;
}

export interface OutputCases extends SwitchOutputOptions {
  readonly cases: readonly OutputCase[];
}

/**
 * Hands each message to the output of the first case that takes it, and on to further ones while cases say
 * `continue`. A message no case takes is dropped, or with `strict_mode` refused. A check that fails refuses
 * its message: nobody knows where it belongs.
 */
export function switchOutput(options: OutputCases): Output {
  const { cases, strict_mode: strict = false, retry_until_success: retry = false } = options;
  const outputs = cases.map(({ output }) => output);
  const closing = new AbortController();
  const demand = joinDemands(outputs, "some");
  let context: ComponentContext | undefined;

  function writeCase(
    { output }: OutputCase,
    batch: Batch,
    { log, signal }: ComponentContext,
  ): Promise<Delivered> {
    if (!retry) return writeThroughGate(output, batch);
    const end = AbortSignal.any([closing.signal, signal]);
    const complaint = "an output of the switch failed, trying again";
    return writePersistently(output, batch, { log, signal: end, complaint });
  }

  return {
    endpoints: endpointsOf(outputs),
    ...(demand && { demand }),
    takesFailed(batch, index) {
      const takers = tryRoute(cases, batch, index);
      if (takers.length === 0) return false;
      return takers.every((each) => each.reads_failure || findHeld(each.output, batch, index) === undefined);
    },
    start(given) {
      context = given;
      return startOutputs(outputs, given);
    },
    async write(batch) {
      if (context === undefined) throw notConnected();
      const running = context;
      const routed = routeAll(cases, batch, strict ? undefined : running.log);
      return joinDelivered([...routed].map(([each, messages]) => writeCase(each, messages, running)));
    },
    async close() {
      closing.abort();
      await closeAll(outputs);
    },
  };
}

/**
 * What goes to which case. Throws before anything is written where a message belongs nowhere. Without a `log`
 * to tell of them, so does one that no case takes.
 */
function routeAll(
  cases: readonly OutputCase[],
  batch: Batch,
  log: Logger | undefined,
): Map<OutputCase, Message[]> {
  const routed = new Map<OutputCase, Message[]>();
  let dropped = 0;
  for (const [index, message] of batch.entries()) {
    const takers = route(cases, batch, index);
    if (takers.length === 0) {
      if (log === undefined)
        throw new GatewayError(422, "No case of the switch takes the message", { retryable: false });
      // Dropping what failed would hide the failure.
      const failure = heldFailure(message);
      if (failure !== undefined) throw failure;
      dropped += 1;
    }
    for (const taker of takers) {
      const messages = routed.get(taker) ?? [];
      messages.push(taker.reads_failure ? acceptFailure(message) : message);
      routed.set(taker, messages);
    }
  }
  if (dropped > 0) log?.debug("no case of the switch takes a message, it is dropped", { messages: dropped });
  return routed;
}

/** The cases that take a message, in order; throws `MappingError` where a check fails. */
function route(cases: readonly OutputCase[], batch: Batch, index: number): readonly OutputCase[] {
  const takers: OutputCase[] = [];
  for (const each of cases) {
    if (each.check !== undefined && !queryTrue(each.check, batch, index)) continue;
    takers.push(each);
    if (each.continue !== true) break;
  }
  return takers;
}

/** The same for the gate, which holds up what a check fails on. */
function tryRoute(cases: readonly OutputCase[], batch: Batch, index: number): readonly OutputCase[] {
  try {
    return route(cases, batch, index);
  } catch {
    return []; // the message stays flagged with the failure it has, which comes first
  }
}
