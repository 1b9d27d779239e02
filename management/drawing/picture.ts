// A drawing as shapes, from which the page creates elements and the service creates a text.

import type { Drawing, DrawnNode, PlacedEdge, PlacedNode } from "./drawing.ts";

/** An SVG element, which contains a text or elements. */
export interface DrawnElement {
  readonly name: "svg" | "g" | "rect" | "path" | "text" | "title" | "desc";
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly inside: string | readonly DrawnElement[];
  /** The id of the component that the element represents. */
  readonly node?: string;
}

/** Sizes in pixels. */
export const sizes = { line: 17, letter: 7.6, padding: 10, least: 90 } as const;

/** The maximum number of letters shown of a text. The title contains the whole text. */
const mostLetters = 34;

/** Returns the lines of a component: its name, its label, its details, and the callers of its routes. */
export function linesOf(node: DrawnNode): readonly { kind: string; text: string }[] {
  const { component, label, detail } = node;
  return [
    { kind: "component", text: shortened(component) },
    ...(label === undefined ? [] : [{ kind: "label", text: shortened(label) }]),
    ...(detail === undefined ? [] : [{ kind: "detail", text: shortened(detail) }]),
    ...callersOf(node).map((text) => ({ kind: "callers", text: shortened(text) })),
  ];
}

/**
 * Describes who may call something, by verb: a single line if all verbs have the same callers, otherwise a line for
 * each verb, such as `open`, or `GET: open` and `POST: key`.
 */
export function callerLines(callers: Readonly<Record<string, string>>): readonly string[] {
  const texts = [...new Set(Object.values(callers))];
  return texts.length === 1 ? texts : Object.entries(callers).map((each) => each.join(": "));
}

/** Describes the callers of a component's routes, such as `callers: key`, with the paths if they differ. */
function callersOf({ routes = [] }: DrawnNode): readonly string[] {
  const lines = routes.map(({ path, callers }) => ({ path, texts: callerLines(callers) }));
  const texts = [...new Set(lines.flatMap(({ texts }) => texts))];
  if (texts.length <= 1) return texts.map((text) => `callers: ${text}`);
  const all = lines.flatMap(({ path, texts }) => texts.map((text) => `callers of ${path}: ${text}`));
  return [...new Set(all)];
}

/** Describes a component in a sentence, such as `input kafka "orders": placed, paid (line 12)`. */
export function describeNode(node: DrawnNode): string {
  const { role, component, label, detail, place } = node;
  const name = label === undefined ? "" : ` “${label}”`;
  const what = detail === undefined ? "" : `: ${detail}`;
  const who = callersOf(node).map((text) => `; ${text}`);
  return `${role} ${component}${name}${what}${who.join("")} (line ${place.line})`;
}

/** Returns the picture of a stream; `undefined` if it has none. */
export function pictureOf({ stream, picture, nodes }: Drawing): DrawnElement | undefined {
  if (picture === undefined) return undefined;
  const { width, height } = picture;
  return {
    name: "svg",
    attributes: {
      xmlns: "http://www.w3.org/2000/svg",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": `Topology of ${stream}: ${nodes.length} components`,
      "font-family": "system-ui, sans-serif",
      "font-size": 13,
    },
    inside: [...picture.edges.flatMap(edgeOf), ...picture.nodes.map(nodeOf)],
  };
}

const fills = {
  input: "#dcebfb",
  processor: "#f1f1f4",
  output: "#dff3e4",
  "dead letter": "#fbe3e0",
} as const;

function nodeOf(node: PlacedNode): DrawnElement {
  const { id, role, x, y, width, height } = node;
  const texts = linesOf(node).map(({ kind, text }, index): DrawnElement => {
    const at = { x: x + sizes.padding, y: y + sizes.padding + 10 + index * sizes.line };
    const weight = kind === "component" ? { "font-weight": 600 } : {};
    return { name: "text", attributes: { class: kind, fill: "#1b1b1f", ...at, ...weight }, inside: text };
  });
  const box = { x, y, width, height, rx: 6, fill: fills[role], stroke: "#77777f" };
  return {
    name: "g",
    attributes: { class: `node ${role.replace(" ", "-")}` },
    node: id,
    inside: [
      { name: "title", attributes: {}, inside: describeNode(node) },
      { name: "rect", attributes: box, inside: [] },
      ...texts,
    ],
  };
}

function edgeOf({ points, label, labelAt }: PlacedEdge): readonly DrawnElement[] {
  const isFailure = label === "failed";
  const dashes: DrawnElement["attributes"] = isFailure ? { "stroke-dasharray": "5 4" } : {};
  const line = { class: "edge", d: curveThrough(points), fill: "none", stroke: "#77777f", ...dashes };
  const [tip, before] = [points.at(-1), points.at(-2)];
  const head = tip && before ? [arrowAt(tip, before)] : [];
  const at = labelAt && { x: labelAt.x, y: labelAt.y - 4, "text-anchor": "middle", "font-size": 12 };
  const text: DrawnElement[] =
    at === undefined || label === undefined
      ? []
      : [{ name: "text", attributes: { class: "edge-label", fill: "#55555c", ...at }, inside: label }];
  return [{ name: "path", attributes: line, inside: [] }, ...head, ...text];
}

/** Returns a smooth curve through the midpoints between the points, which serve as control points. */
function curveThrough(points: PlacedEdge["points"]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  const parts = rest.map((point, index) => {
    const next = rest[index + 1];
    if (next === undefined) return `L${point.x} ${point.y}`;
    return `Q${point.x} ${point.y} ${(point.x + next.x) / 2} ${(point.y + next.y) / 2}`;
  });
  return `M${first.x} ${first.y}${parts.join("")}`;
}

function arrowAt(tip: { x: number; y: number }, before: { x: number; y: number }): DrawnElement {
  const length = Math.hypot(tip.x - before.x, tip.y - before.y) || 1;
  const [along, across] = [(tip.x - before.x) / length, (tip.y - before.y) / length];
  const corner = (side: number) => {
    const x = tip.x - 8 * along - 4 * side * across;
    const y = tip.y - 8 * across + 4 * side * along;
    return `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;
  };
  const d = `M${tip.x} ${tip.y}L${corner(1)}L${corner(-1)}Z`;
  return { name: "path", attributes: { class: "arrow", d, fill: "#77777f" }, inside: [] };
}

function shortened(text: string): string {
  const letters = [...text.replaceAll(/\s+/g, " ")];
  return letters.length <= mostLetters ? letters.join("") : `${letters.slice(0, mostLetters - 1).join("")}…`;
}
