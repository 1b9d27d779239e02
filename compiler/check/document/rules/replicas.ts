// Rules about settings that several gateways, or several inputs of one gateway, must share or must not share.

import { parseDuration } from "../../../../schemas/duration.ts";
import { mqttBrokerOf } from "../../../../schemas/formats/mqtt.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import { componentsOf, endsOf, isMeant, servesClients } from "../../../model/components.ts";
import { type EndKind, isLeasable, readsOwn } from "../../../model/leases.ts";
import { type Option, optionsNamed } from "../../../model/options.ts";
import type { SetModel } from "../../../model/set.ts";
import { divisionOf, isDivided, writtenOptions } from "../../../model/written-options.ts";
import type { Span } from "../../../source/source.ts";
import type { ComponentNode, FieldNode, StreamNode } from "../../../trees/api.ts";
import { type DocumentNode, findText } from "../../../trees/document.ts";
import { literalText } from "../../../trees/fields.ts";
import { isBroadcast } from "./replica-clients.ts";

/**
 * In sets made for several replicas, reports components that repeat work or conflict. In other sets, reports client ids
 * of streams whose input shares its messages with further readers.
 */
export function checkReplicas({ process, served }: SetModel, report: Report): void {
  checkTerm(process.leaseTerm?.node, report);
  const evidence = process.replicasSpan;
  for (const stream of served.flatMap(({ streams }) => streams)) {
    if (evidence === undefined) {
      checkSharingStream(stream, report);
      continue;
    }
    const canBeLeased = hasLeasableEnds(stream);
    const isLeased = canBeLeased && process.leases !== undefined;
    const isForAll = endsOf(stream, "output").every(isBroadcast);
    // Only one replica at a time connects a leased input.
    for (const component of [...(isLeased ? [] : endsOf(stream, "input")), ...endsOf(stream, "output")])
      checkComponent(component, evidence, { canBeLeased, isForAll }, report);
  }
}

/** Reports a term that the gateway replaces with the shortest one. */
function checkTerm(term: DocumentNode | undefined, report: Report): void {
  const written = findText(term);
  const milliseconds = parseDuration(written ?? "");
  if (term === undefined || milliseconds === undefined || milliseconds >= 1_000) return;
  const message = `A \`term\` of ${written} is extended to 1s, because a short pause would lose the lease.`;
  report("GW4413", term.span, { component: "leases", message, hint: "Write at least `1s`." });
}

/** Checks a stream for which nothing in the settings indicates several replicas. */
function checkSharingStream(stream: StreamNode, report: Report): void {
  const sharing = endsOf(stream, "input").find(
    (input) => isDivided(input) && divisionOf(input)?.showsReplicas,
  );
  if (sharing === undefined) return;
  for (const component of [...endsOf(stream, "input"), ...endsOf(stream, "output")])
    checkFixedId(component, sharing.nameSpan, report);
}

function related(evidence: Span) {
  return { span: evidence, message: "Replicas share the messages of this." };
}

/** Whether a lease can restrict the reading of the stream to one replica at a time. */
function hasLeasableEnds(stream: StreamNode): boolean {
  const kindOf = (end: ComponentNode): EndKind => {
    if (servesClients(end) || (end.role === "input" && readsOwn(end.descriptor))) return "endpoint";
    if (end.descriptor?.isChannel === true) return "channel";
    return isDivided(end) ? "divided" : "undivided";
  };
  const inputs = endsOf(stream, "input").map(kindOf);
  return isLeasable(inputs, endsOf(stream, "output").map(kindOf));
}

function checkComponent(
  component: ComponentNode,
  evidence: Span,
  { canBeLeased, isForAll }: { readonly canBeLeased: boolean; readonly isForAll: boolean },
  report: Report,
): void {
  if (checkFixedId(component, evidence, report)) return;
  // The clients of each replica are to receive every message, so each replica has to read it.
  const repeated = isForAll || isDivided(component) ? undefined : divisionOf(component)?.otherwise;
  if (repeated !== undefined)
    report("GW4060", component.nameSpan, { ...repeated, canBeLeased }, related(evidence));
}

/** Reports a client id that is the same on every replica. Returns whether there is one. */
function checkFixedId(component: ComponentNode, evidence: Span, report: Report): boolean {
  const id = fixedClientId(component);
  if (id !== undefined) report("GW4059", id.span, { id: id.text }, related(evidence));
  return id !== undefined;
}

/** Options of clients that a broker disconnects when another one connects with the same `client_id`. */
const clientOptions = optionsNamed(["client_id", "dynamic_client_id_suffix", "urls"]);

/** Returns the client id that all gateways send to the broker; `undefined` if it is generated at each start. */
function fixedClientId(component: ComponentNode) {
  const { client_id: id, dynamic_client_id_suffix: suffix } = clientOptions(component) ?? {};
  if (id?.value === undefined || suffix?.value !== undefined) return undefined;
  return id.text === undefined || id.text === "" ? undefined : { text: id.text, span: id.value.span };
}

const groupOptions = optionsNamed(["consumer_group"], ["start_from_oldest"]);

/**
 * Reports inputs without a consumer group, unless all outputs serve clients: those may want all existing messages
 * whenever they connect.
 */
export function checkConsumerGroups(stream: StreamNode, _api: ApiModel, report: Report): void {
  if (endsOf(stream, "output").every(servesClients)) return;
  for (const input of endsOf(stream, "input")) checkInput(input, report);
}

function checkInput(input: ComponentNode, report: Report): void {
  const { consumer_group: group, start_from_oldest: oldest } = groupOptions(input) ?? {};
  if (group === undefined) return;
  const isUnread =
    group.value === undefined && isMeant(input.config, group.name, input.descriptor?.schema ?? {});
  if (isUnread || group.isGiven) return;
  const fromOldest = oldest === undefined || oldest.known;
  // A start position that is not known yet is not reported.
  if (typeof fromOldest !== "boolean") return;
  const isRedis = input.descriptor?.brokerChannels?.(writtenOptions(input.config))?.protocol === "redis";
  report("GW4064", group.value?.span ?? input.nameSpan, { fromOldest, isRedis });
}

/** Reports each `client_id` that an earlier client of the same broker has. */
export function checkClientIds({ served }: Pick<SetModel, "served">, report: Report): void {
  const earlier = new Map<string, Span>();
  const streams = served.flatMap((api) => api.streams);
  for (const component of streams.flatMap(componentsOf)) {
    const options = clientOptions(component);
    const id = options?.client_id.value;
    if (options === undefined || id === undefined || textOf(id) === "") continue;
    if (options.dynamic_client_id_suffix.value !== undefined) continue;
    const keys = brokersOf(options.urls).map((broker) => `${broker} ${textOf(id)}`);
    const other = keys.map((key) => earlier.get(key)).find((span) => span !== undefined);
    if (other === undefined) for (const key of keys) earlier.set(key, id.span);
    else report("GW4058", id.span, { id: textOf(id) }, { span: other, message: "The other one is here." });
  }
}

function brokersOf(urls: Option): readonly string[] {
  return urls.each.flatMap((item) => textOf(item).split(",")).map(mqttBrokerOf);
}

/** Returns the literal value, otherwise the source text: equal references to the environment have equal values. */
function textOf(field: FieldNode): string {
  const { source, start, end } = field.span;
  return literalText(field) ?? source.text.slice(start, end);
}

/** Reports every reader after the first: it would be undefined which of them receives a line. */
export function checkStandardInput({ served }: Pick<SetModel, "served">, report: Report): void {
  const components = served.flatMap(({ streams }) => streams.flatMap(componentsOf));
  const [first, ...others] = components.filter(({ descriptor }) => descriptor?.isSingle === true);
  if (first === undefined) return;
  for (const { nameSpan } of others) {
    report("GW4193", nameSpan, {}, { span: first.nameSpan, message: "It is already read here." });
  }
}
