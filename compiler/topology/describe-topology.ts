// A stream in, the graph of its components out: what people draw when they explain it.

import { descriptorOf } from "../../schemas/component.ts";
import { hideSecretsIn } from "../diagnostics/secrets/without-secrets.ts";
import type { ComponentRoute } from "../plan/callers.ts";
import { locate } from "../source/source.ts";
import type { ComponentNode, FieldNode, StreamNode } from "../trees/api.ts";
import { componentPaths } from "../trees/component-paths.ts";

/** The components of a stream, and the ways of messages between them. */
export interface Topology {
  readonly nodes: readonly TopologyNode[];
  readonly edges: readonly TopologyEdge[];
}

/** A component. */
export interface TopologyNode {
  /** Its path from the stream on: `pipeline.processors[0].mapping`. */
  readonly id: string;
  readonly role: "input" | "processor" | "output" | "dead letter";
  /** Its name in documents: `kafka`. */
  readonly component: string;
  readonly label?: string;
  /** What it reads from, writes to or calls, as far as the document says: `orders, returns`. */
  readonly detail?: string;
  /** The routes that it serves, in the order written, and who may call them; absent where it serves none. */
  readonly routes?: readonly TopologyRoute[];
  /** Where it stands; lines and columns count from 1. */
  readonly place: { readonly file: string; readonly line: number; readonly column: number };
}

/** A route of a component. */
export type TopologyRoute = Pick<ComponentRoute, "transport" | "path" | "callers">;

/** A way of messages from one component to another, by their ids. */
export interface TopologyEdge {
  readonly from: string;
  readonly to: string;
  /** When they go there: `failed`. */
  readonly label?: string;
}

/** Fields that say what a component is connected to, the most telling one first. */
const details: readonly string[] = [
  ...["path", "stream_path", "ws_path", "topics", "topic", "subject", "subjects", "queue", "exchange"],
  ...["bucket", "event_type", "url", "urls", "paths", "inproc", "label"],
];

/**
 * The graph of a stream. Components inside others are nodes of their own, shared ones once. `routes`: those of its API, as
 * `listComponentRoutes` has them.
 */
export function describeTopology(stream: StreamNode, routes: readonly ComponentRoute[]): Topology {
  return new Graph(stream, routes).whole();
}

/** Where messages come into a part of the graph and leave it. */
interface Part {
  readonly entries: readonly string[];
  readonly exits: readonly string[];
}

class Graph {
  readonly #stream: StreamNode;
  readonly #routes: ReadonlyMap<ComponentNode, readonly TopologyRoute[]>;
  readonly #paths: ReadonlyMap<ComponentNode, string>;
  readonly #nodes = new Map<string, TopologyNode>();
  readonly #edges = new Map<string, TopologyEdge>();

  constructor(stream: StreamNode, routes: readonly ComponentRoute[]) {
    this.#stream = stream;
    this.#routes = new Map(
      [...Map.groupBy(routes, ({ component }) => component)].map(([component, served]) => [
        component,
        served.map(({ transport, path, callers }) => ({ transport, path, callers })),
      ]),
    );
    this.#paths = componentPaths(stream);
  }

  whole(): Topology {
    const { input, processors, output, deadLetter } = this.#stream;
    const source = input === undefined ? [] : [this.#addInput(input)];
    const pipeline = this.#addChain(processors, source);
    const target = output === undefined ? [] : [this.#addOutput(output, "output")];
    this.#connect(pipeline.exits.length > 0 ? pipeline.exits : source, target);
    if (deadLetter !== undefined) {
      const letters = this.#addOutput(deadLetter, "dead letter");
      this.#connect(pipeline.exits.length > 0 ? pipeline.exits : source, [letters], "failed");
    }
    return { nodes: [...this.#nodes.values()], edges: [...this.#edges.values()] };
  }

  /** Messages go from the inputs inside to the one around them. */
  #addInput(component: ComponentNode): string {
    const id = this.#addNode(component, "input");
    for (const child of childrenOf(component.config).flat()) {
      const part = child.role === "input" ? this.#throughProcessors(child, this.#addInput(child)) : [];
      this.#connect(part, [id]);
    }
    return id;
  }

  /** An input inside another may have processors of its own. */
  #throughProcessors({ processors = [] }: ComponentNode, from: string): readonly string[] {
    const { exits } = this.#addChain(processors, [from]);
    return exits.length > 0 ? exits : [from];
  }

  /** Messages go from the output around to those inside. */
  #addOutput(component: ComponentNode, role: "output" | "dead letter"): string {
    const id = this.#addNode(component, role);
    for (const child of childrenOf(component.config).flat()) {
      if (child.role !== "output") continue;
      const { processors = [] } = child;
      const { exits } = this.#addChain(processors, [id]);
      this.#connect(exits.length > 0 ? exits : [id], [this.#addOutput(child, role)]);
    }
    return id;
  }

  /** Processors one after the other, the first behind `from`. */
  #addChain(processors: readonly ComponentNode[], from: readonly string[]): Part {
    let [entries, exits]: (readonly string[])[] = [[], from];
    for (const [index, processor] of processors.entries()) {
      const part = this.#addProcessor(processor);
      this.#connect(exits ?? [], part.entries);
      if (index === 0) entries = part.entries;
      exits = part.exits;
    }
    return { entries: entries ?? [], exits: processors.length === 0 ? [] : (exits ?? []) };
  }

  /** Messages go from a processor into the chains inside it, and on from their ends, or past them. */
  #addProcessor(component: ComponentNode): Part {
    const id = this.#addNode(component, "processor");
    const chains = childrenOf(component.config)
      .map((list) => list.filter(({ role }) => role === "processor"))
      .filter((list) => list.length > 0);
    const parts = chains.map((list) => this.#addChain(list, [id]));
    const exits = parts.flatMap((part) => part.exits);
    // A message for which no case holds, or that did not fail, passes by.
    const flow = descriptorOf("processor", component)?.flow.kind;
    const passesBy = parts.length === 0 || flow === "cases" || flow === "catch" || flow === "loop";
    return { entries: [id], exits: [...new Set([...(passesBy ? [id] : []), ...exits])] };
  }

  #addNode(component: ComponentNode, role: TopologyNode["role"]): string {
    const id = this.#paths.get(component) ?? component.name;
    const { label, name, nameSpan } = component;
    const { file, start } = locate(nameSpan);
    const detail = detailOf(component.config);
    const routes = this.#routes.get(component);
    this.#nodes.set(id, {
      ...{ id, role, component: name },
      ...(label !== undefined && { label }),
      ...(detail !== undefined && { detail: hideSecretsIn([file])(detail) }),
      ...(routes !== undefined && { routes }),
      place: { file: file.path, line: start.line, column: start.column },
    });
    return id;
  }

  #connect(from: readonly string[], to: readonly string[], label?: string): void {
    for (const start of from) {
      for (const end of to) {
        if (start === end) continue;
        const edge = { from: start, to: end, ...(label !== undefined && { label }) };
        this.#edges.set(JSON.stringify(edge), edge);
      }
    }
  }
}

/** The components right inside a field, those of one list together: a list of processors is a chain. */
function childrenOf(field: FieldNode): readonly (readonly ComponentNode[])[] {
  if (field.kind === "Component") return [[field.component]];
  if (field.kind === "Object") return field.fields.flatMap(({ value }) => childrenOf(value));
  if (field.kind !== "List") return [];
  const own = field.items.flatMap((item) => (item.kind === "Component" ? [item.component] : []));
  const inside = field.items.flatMap((item) => (item.kind === "Component" ? [] : childrenOf(item)));
  return own.length === 0 ? inside : [own, ...inside];
}

/** What a field connects to, passwords included. Values that only the environment or a message knows are left out. */
function detailOf(config: FieldNode): string | undefined {
  if (config.kind === "Literal" && typeof config.value === "string") return config.value;
  if (config.kind !== "Object") return undefined;
  for (const name of details) {
    const value = config.fields.find((field) => field.name === name)?.value;
    const items = value?.kind === "List" ? value.items : value === undefined ? [] : [value];
    const texts = items.flatMap((item) =>
      item.kind === "Literal" && typeof item.value === "string" ? [item.value] : [],
    );
    if (texts.length > 0) return texts.join(", ");
  }
  return undefined;
}
