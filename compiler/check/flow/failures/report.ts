// Failures of a stream and where they get to in, what people have to know of them before they happen out. That
// messages can be refused is no news: `reject` is there for it.

import type { Report } from "../../../diagnostics/sink.ts";
import type { DeclaredErrorHandling } from "../../../model/error-handling.ts";
import type { Destination, FailureFlow } from "./stream-failure.ts";

/** Reports messages that are delivered half processed, and dead letters that nobody will ever send. */
export function reportFailures(
  flows: readonly FailureFlow[],
  handling: DeclaredErrorHandling,
  report: Report,
): void {
  reportHalfProcessed(flows, handling, report);
  const { strategy, deadLetter, givesUp, isOwn } = handling;
  const isUsed = flows.some(({ reaches }) => reaches.some(({ kind }) => kind === "deadLetter"));
  if (strategy === "dead_letter" && isOwn && deadLetter !== undefined && !givesUp && !isUsed) {
    report("GW3206", deadLetter.nameSpan, {});
  }
}

/**
 * Once for each component: who guards its first expression looks at the others as well. Where a mapping asks for
 * failures, the author knows that such messages are delivered, and can say so in them.
 */
function reportHalfProcessed(
  flows: readonly FailureFlow[],
  { span: asked }: DeclaredErrorHandling,
  report: Report,
): void {
  const told = new Set<FailureFlow["component"]>();
  for (const { component, span, reason, reaches, isAsked } of flows) {
    if (isAsked) continue;
    const outputs = reaches.flatMap(deliveredTo);
    if (outputs.length === 0 || told.has(component)) continue;
    told.add(component);
    const related = asked && { span: asked, message: "This output still receives the message." };
    report("GW3202", span, { reason, outputs }, related);
  }
}

function deliveredTo(destination: Destination): readonly string[] {
  return destination.kind === "output" && !destination.isMeant ? [destination.output.name] : [];
}
