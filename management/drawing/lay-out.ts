// Computes the positions of a stream's components with dagre: layers from left to right, in the direction of messages.

import { Graph, layout } from "@dagrejs/dagre";
import type { Topology } from "../../compiler/topology/describe-topology.ts";
import { describeRoutes } from "../definitions/callers.ts";
import type { Drawing, DrawnNode } from "./drawing.ts";
import { linesOf, sizes } from "./picture.ts";

/** The maximum number of components in a picture. */
const mostNodes = 300;

/** Computes the layout of a stream. The same graph always gets the same layout. */
export function layOut(stream: string, { nodes: described, edges }: Topology): Drawing {
  const nodes = described.map(({ routes, ...node }): DrawnNode => {
    return { ...node, ...(routes !== undefined && { routes: describeRoutes(routes) }) };
  });
  if (nodes.length === 0 || nodes.length > mostNodes) return { stream, nodes, edges };
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 18, ranksep: 44, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) graph.setNode(node.id, sizeOf(node));
  for (const { from, to, label } of edges) {
    const room = label === undefined ? {} : { width: widthOf(label), height: sizes.line, labelpos: "c" };
    graph.setEdge(from, to, room, nameOf(label));
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  const picture = {
    width: Math.ceil(width),
    height: Math.ceil(height),
    nodes: nodes.map((node) => {
      const { x, y, width, height } = graph.node(node.id);
      return { ...node, x: Math.round(x - width / 2), y: Math.round(y - height / 2), width, height };
    }),
    edges: edges.map((edge) => {
      const { points, x, y } = graph.edge(edge.from, edge.to, nameOf(edge.label));
      const labelAt = edge.label === undefined ? {} : { labelAt: rounded({ x, y }) };
      return { ...edge, points: points.map(rounded), ...labelAt };
    }),
  };
  return { stream, nodes, edges, picture };
}

/** Returns the name of an edge. Labels distinguish edges between the same components; dagre ignores empty names. */
function nameOf(label: string | undefined): string {
  return label === undefined ? "plain" : `labelled ${label}`;
}

function sizeOf(node: DrawnNode): { width: number; height: number } {
  const lines = linesOf(node);
  const width = Math.max(...lines.map(({ text }) => widthOf(text))) + 2 * sizes.padding;
  return { width: Math.max(width, sizes.least), height: lines.length * sizes.line + 2 * sizes.padding - 4 };
}

/** Returns a width that is sufficient for most letters in most fonts. */
function widthOf(text: string): number {
  return Math.ceil(text.length * sizes.letter);
}

function rounded({ x, y }: { readonly x: number; readonly y: number }) {
  return { x: Math.round(x), y: Math.round(y) };
}
