// What several gateways of one set do to each other and to what they read.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ComponentNode, StreamNode } from "../../../parse/document/api.ts";
import type { Span } from "../../../source/source.ts";
import { endsOf, findField, literalText, servesClients } from "../components.ts";
import { findReplicas } from "../replicas.ts";
import type { SetFacts } from "../set-facts.ts";

/** Reports what repeats itself or breaks with several gateways, in sets that are made for several. */
export function checkReplicas({ set, served }: Pick<SetFacts, "set" | "served">, report: Report): void {
  const evidence = findReplicas(set);
  if (evidence === undefined) return;
  for (const stream of served.flatMap(({ streams }) => streams)) {
    for (const component of [...endsOf(stream, "input"), ...endsOf(stream, "output")])
      checkComponent(component, evidence, report);
    checkPair(stream, evidence, report);
  }
}

function related(evidence: Span) {
  return { span: evidence, message: "This is shared by several gateways." };
}

function checkComponent(component: ComponentNode, evidence: Span, report: Report): void {
  const id = fixedClientId(component);
  if (id !== undefined) {
    report("GW4059", id.span, { id: id.text }, related(evidence));
    return;
  }
  const kind = repeatedRead(component);
  if (kind !== undefined) report("GW4060", component.nameSpan, { kind }, related(evidence));
}

/** The name all gateways give the broker, where it is not made at each start. */
function fixedClientId({ name, config }: ComponentNode) {
  if (name !== "mqtt" || findField(config, "dynamic_client_id_suffix") !== undefined) return undefined;
  const value = findField(config, "client_id")?.value;
  const text = literalText(value);
  return value === undefined || text === undefined || text === "" ? undefined : { text, span: value.span };
}

/** What each gateway reads anew for itself. */
function repeatedRead({
  role,
  name,
  config,
}: ComponentNode): "nats" | "nats_jetstream" | "nats_kv" | "mqtt" | "http_client" | "websocket" | undefined {
  if (role !== "input") return undefined;
  switch (name) {
    case "nats": {
      const queue = findField(config, "queue")?.value;
      return queue === undefined || literalText(queue) === "" ? name : undefined;
    }
    case "mqtt": {
      const topics = findField(config, "topics")?.value;
      const items = topics?.kind === "List" ? topics.items : [];
      // A subscription by this name is shared out among those who have it.
      return items.some((item) => !literalText(item)?.startsWith("$share/")) ? name : undefined;
    }
    case "nats_jetstream": {
      const isNamed = ["durable", "queue"].some((field) => findField(config, field) !== undefined);
      return isNamed ? undefined : name;
    }
    case "nats_kv":
    case "http_client":
    case "websocket":
      return name;
    default:
      return undefined;
  }
}

/** Requests in, clients out, and nothing in between that gateways share. */
function checkPair(stream: StreamNode, evidence: Span, report: Report): void {
  const inputs = endsOf(stream, "input");
  const outputs = endsOf(stream, "output");
  const [output] = outputs;
  if (output === undefined || inputs.length === 0 || ![...inputs, ...outputs].every(servesClients)) return;
  report("GW4061", output.nameSpan, { stream: stream.name }, related(evidence));
}
