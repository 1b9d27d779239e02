// A graph with places: what a picture is made of. Numbers are pixels from the left and the top.

import type { Topology, TopologyNode, TopologyRoute } from "../../compiler/topology/describe-topology.ts";

/** A component; who may call its routes is in words. */
export type DrawnNode = Omit<TopologyNode, "routes"> & {
  readonly routes?: readonly (Omit<TopologyRoute, "callers"> & {
    readonly callers: Readonly<Record<string, string>>;
  })[];
};

/** A component in its place; of `x` and `y` the left upper corner. */
export type PlacedNode = DrawnNode & {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/** A way of messages; where it has a label, with the middle of that. */
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
  /** In the order in which messages meet them, as far as there is one. */
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly Topology["edges"][number][];
  /** Absent where there are too many components for a picture. */
  readonly picture?: {
    readonly width: number;
    readonly height: number;
    readonly nodes: readonly PlacedNode[];
    readonly edges: readonly PlacedEdge[];
  };
}
