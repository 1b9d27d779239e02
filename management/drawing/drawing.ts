// The data of a drawing: a graph with positions. Numbers are pixels from the left and the top.

import type { Topology, TopologyNode, TopologyRoute } from "../../compiler/topology/describe-topology.ts";

/** A component. The callers of its routes are described as texts. */
export type DrawnNode = Omit<TopologyNode, "routes"> & {
  readonly routes?: readonly (Omit<TopologyRoute, "callers"> & {
    readonly callers: Readonly<Record<string, string>>;
  })[];
};

/** A component with its position. `x` and `y` are the coordinates of its top left corner. */
export type PlacedNode = DrawnNode & {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/** A connection between components. If it has a label, `labelAt` is the middle of the label. */
export type PlacedEdge = Topology["edges"][number] & {
  readonly points: readonly Point[];
  readonly labelAt?: Point;
};

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A stream as a graph. */
export interface Drawing {
  readonly stream: string;
  /** The components in the order in which messages pass through them, as far as there is one. */
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly Topology["edges"][number][];
  /** Absent if there are too many components for a picture. */
  readonly picture?: {
    readonly width: number;
    readonly height: number;
    readonly nodes: readonly PlacedNode[];
    readonly edges: readonly PlacedEdge[];
  };
}
