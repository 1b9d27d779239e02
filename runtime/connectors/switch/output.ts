import { closeAll, endpointsOf, startOutputs } from "../../component/children.ts";
import type { ComponentContext, Delivered, Output } from "../../component/component.ts";
import { joinDemands } from "../../component/demand.ts";
import { acceptFailure, findHeld, heldFailure, writeThroughGate } from "../../component/gate.ts";
import { notConnected, writePersistently } from "../../component/persistence.ts";
import { joinParts } from "../../component/unfit-messages.ts";
import { abort } from "../../concurrency/abort.ts";
import { GatewayError, MappingError } from "../../errors.ts";
import { describeFailure } from "../../failures/description.ts";
import type { Batch, Message } from "../../message/message.ts";
import type { Logger } from "../../process/log.ts";
import { queryTrue } from "../../processors/mapping.ts";
import type { SwitchOutputCase, SwitchOutputOptions } from "./generated/output-options.ts";

/** A case, with the results of the compiler's analysis. */
export interface OutputCase extends SwitchOutputCase {
  /** Whether its check asks if a processor failed on the message: the case is then meant for failed messages. */
  readonly reads_failure?: boolean;
}

export interface OutputCases extends SwitchOutputOptions {
  readonly cases: readonly OutputCase[];
}

/**
 * Passes each message to the output of the first case that matches it, and to further ones while the matching cases
 * say `continue`. A message that no case matches is dropped, or refused with `strict_mode`. As in the reference
 * engine, a case whose check fails on a message does not match it.
 */
export function switchOutput(options: OutputCases): Output {
  const { cases, strict_mode: strict = false, retry_until_success: retry = false } = options;
  const outputs = cases.map(({ output }) => output);
  const closing = new AbortController();
  const demand = joinDemands(outputs, "some");
  const failedChecks = new Set<OutputCase>();
  let context: ComponentContext | undefined;

  function writeCase(
    { output }: OutputCase,
    batch: Batch,
    { log, signal }: ComponentContext,
  ): Promise<Delivered> {
    if (!retry) return writeThroughGate(output, batch);
    const end = AbortSignal.any([closing.signal, signal]);
    const complaint = "an output of the switch failed, retrying";
    return writePersistently(output, batch, { log, signal: end, complaint });
  }

  return {
    endpoints: endpointsOf(outputs),
    ...(demand && { demand }),
    takesFailed(batch, index) {
      const takers = route(cases, batch, index);
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
      const routed = routeAll(cases, batch, strict, failedChecks, running.log);
      return joinParts([...routed].map(([each, messages]) => [messages, writeCase(each, messages, running)]));
    },
    async close() {
      abort(closing);
      await closeAll(outputs);
    },
  };
}

/**
 * Returns the messages of each case. If no case matches a message, throws before anything is written if the gate
 * holds the message back, or if `strict`. The first failure of each check is logged as a warning.
 */
function routeAll(
  cases: readonly OutputCase[],
  batch: Batch,
  strict: boolean,
  failedChecks: Set<OutputCase>,
  log: Logger,
): Map<OutputCase, Message[]> {
  const routed = new Map<OutputCase, Message[]>();
  let dropped = 0;
  const onFailure: CheckFailed = (failed, error) => {
    const level = failedChecks.has(failed) ? "debug" : "warn";
    failedChecks.add(failed);
    log[level]("a check of the switch failed, its case does not match", {
      case: cases.indexOf(failed),
      ...describeFailure(error),
    });
  };
  for (const [index, message] of batch.entries()) {
    const takers = route(cases, batch, index, onFailure);
    if (takers.length === 0) {
      if (strict)
        throw new GatewayError(422, "No case of the switch matches the message", { retryable: false });
      // Dropping a failed message would hide the failure.
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
  if (dropped > 0) log.debug("no case of the switch matches a message, it is dropped", { messages: dropped });
  return routed;
}

type CheckFailed = (failed: OutputCase, error: MappingError) => void;

/** Returns the cases that match a message, in order. */
function route(
  cases: readonly OutputCase[],
  batch: Batch,
  index: number,
  onFailure?: CheckFailed,
): readonly OutputCase[] {
  const takers: OutputCase[] = [];
  for (const each of cases) {
    if (!matches(each, batch, index, onFailure)) continue;
    takers.push(each);
    if (each.continue !== true) break;
  }
  return takers;
}

function matches(each: OutputCase, batch: Batch, index: number, onFailure?: CheckFailed): boolean {
  if (each.check === undefined) return true;
  try {
    return queryTrue(each.check, batch, index);
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    onFailure?.(each, error);
    return false;
  }
}
