// What several gateways of one set do to each other and to what they read.

import { descriptorOf, type InputDivision } from "../../../../schemas/component.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { endsOf, hasExclusiveId, servesClients } from "../../../model/components.ts";
import type { SetModel } from "../../../model/set.ts";
import type { Span } from "../../../source/source.ts";
import type { ComponentNode, StreamNode } from "../../../trees/api.ts";
import { findField, findNamedField, literalText } from "../../../trees/fields.ts";
import { writtenOptions } from "../written-options.ts";

/** Reports what repeats itself or breaks with several gateways, in sets that are made for several. */
export function checkReplicas({ process, served }: SetModel, report: Report): void {
  const evidence = process.replicasSpan;
  if (evidence === undefined) return;
  for (const stream of served.flatMap(({ streams }) => streams)) {
    for (const component of [...endsOf(stream, "input"), ...endsOf(stream, "output")])
      checkComponent(component, evidence, report);
    checkPair(stream, evidence, report);
  }
}

function related(evidence: Span) {
  return { span: evidence, message: "Replicas share the messages of this." };
}

function checkComponent(component: ComponentNode, evidence: Span, report: Report): void {
  const id = fixedClientId(component);
  if (id !== undefined) {
    report("GW4059", id.span, { id: id.text }, related(evidence));
    return;
  }
  const repeated = repeatedRead(component);
  if (repeated !== undefined) report("GW4060", component.nameSpan, repeated, related(evidence));
}

/** The name all gateways give the broker, where it is not made at each start. */
function fixedClientId(component: ComponentNode) {
  const { config } = component;
  if (!hasExclusiveId(component) || findNamedField(config, "dynamic_client_id_suffix") !== undefined)
    return undefined;
  const value = findField(config, "client_id");
  const text = literalText(value);
  return value === undefined || text === undefined || text === "" ? undefined : { text, span: value.span };
}

/** What each replica does of its own, where the messages are not divided among them. */
function repeatedRead({ role, config, descriptor }: ComponentNode): InputDivision["otherwise"] {
  const division = role === "input" ? descriptorOf(role, { descriptor })?.division : undefined;
  return division?.isDivided(writtenOptions(config)) === true ? undefined : division?.otherwise;
}

/** Requests in, clients out, and nothing in between that gateways share. */
function checkPair(stream: StreamNode, evidence: Span, report: Report): void {
  const inputs = endsOf(stream, "input");
  const outputs = endsOf(stream, "output");
  const [output] = outputs;
  if (output === undefined || inputs.length === 0 || ![...inputs, ...outputs].every(servesClients)) return;
  report("GW4061", output.nameSpan, { stream: stream.name }, related(evidence));
}
