// How long callers of a stream wait, against how long its parts were told they may take: a caller that gave up
// tries again, and the message comes twice.

import { parseDuration } from "../../../../schemas/duration.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { componentsOf, endsOf } from "../../../model/components.ts";
import type { Span } from "../../../source/source.ts";
import type { ComponentNode, StreamNode } from "../../../trees/api.ts";
import { findField, findNamedField } from "../../../trees/fields.ts";

/**
 * Reports each time that was written, of a processor or output, which is longer than callers wait. Times that
 * nobody wrote are passed over: they are limits, and not what anybody expects.
 */
export function checkCallersWait(stream: StreamNode, _: unknown, report: Report): void {
  const waits = endsOf(stream, "input").filter(answersCallers).map(waitOf);
  const longest = Math.max(...waits);
  if (waits.length === 0 || Number.isNaN(longest)) return;
  // What cannot be delivered is out of the way of callers.
  const { deadLetter: _aside, input: _input, ...rest } = stream;
  for (const component of componentsOf(rest)) {
    for (const { field, held, span } of holdUps(component)) {
      if (held <= longest) continue;
      const details = { component: component.name, field, held: shown(held), wait: shown(longest) };
      report("GW4086", span, details);
    }
  }
}

/** Whether requests wait for it: it has a route that is no socket. */
function answersCallers({ config, descriptor }: ComponentNode): boolean {
  const properties = Object.entries(descriptor?.schema.properties ?? {});
  return properties.some(
    ([field, schema]) => schema["x-route"] === "http" && findNamedField(config, field) !== undefined,
  );
}

/** Milliseconds that callers of an `http_server` input wait; NaN where that is known only at start. */
function waitOf({ config, descriptor }: ComponentNode): number {
  const written = findField(config, "timeout");
  if (written !== undefined) return written.kind === "Duration" ? written.milliseconds : Number.NaN;
  return parseDuration(String(descriptor?.schema.properties?.timeout?.default)) ?? Number.NaN;
}

interface HoldUp {
  readonly field: string;
  readonly held: number;
  readonly span: Span;
}

/** What `x-holds-up` of a component's schema says of the times it was given. */
function holdUps({ config, descriptor }: ComponentNode): readonly HoldUp[] {
  const properties = descriptor?.schema.properties ?? {};
  return Object.keys(properties).flatMap((field) => {
    const value = findField(config, field);
    if (properties[field]?.["x-holds-up"] !== true || value?.kind !== "Duration") return [];
    return [{ field, held: value.milliseconds, span: value.span }];
  });
}

function shown(milliseconds: number): string {
  return `${milliseconds / 1000}s`;
}
