// Pictures of streams: elements made of the shapes that the service makes its SVG of, and beside each a list that says the
// same. Both lead to the line in the definition.

import type { Drawing } from "../../management/drawing/drawing.ts";
import { describeNode, pictureOf, type Shape } from "../../management/drawing/picture.ts";
import { element } from "../kit/elements.ts";

type Place = Drawing["nodes"][number]["place"];

/** A picture for each stream. `visit` is called with the place of a component that a person chose. */
export function showDrawings(
  host: HTMLElement,
  drawings: readonly Drawing[],
  visit: (place: Place) => void,
): void {
  host.replaceChildren(...drawings.map((drawing) => figureOf(drawing, visit)));
}

function figureOf(drawing: Drawing, visit: (place: Place) => void): HTMLElement {
  const { stream, nodes } = drawing;
  const places = new Map(nodes.map(({ id, place }) => [id, place]));
  const shape = pictureOf(drawing);
  const made = element("figure", element("figcaption", stream));
  if (shape !== undefined) {
    const view = element("div", shapeOf(shape, places, visit));
    view.className = "view";
    // Wide ones are scrolled, also by keys.
    view.tabIndex = 0;
    made.append(view);
  }
  const list = element("details", element("summary", "The same as a list"), listOf(drawing, visit));
  list.open = shape === undefined;
  made.append(list);
  return made;
}

/** Each component, and where messages go from there. */
function listOf({ nodes, edges }: Drawing, visit: (place: Place) => void): HTMLElement {
  const names = new Map(nodes.map((node) => [node.id, node.label ?? node.component]));
  const items = nodes.map((node) => {
    const lead = element("button", describeNode(node));
    lead.type = "button";
    lead.addEventListener("click", () => visit(node.place));
    const targets = edges
      .filter(({ from }) => from === node.id)
      .map(({ to, label }) => `${names.get(to) ?? to}${label === undefined ? "" : ` (${label})`}`);
    return element("li", lead, targets.length === 0 ? "" : ` → ${targets.join(", ")}`);
  });
  return element("ol", ...items);
}

function shapeOf(
  shape: Shape,
  places: ReadonlyMap<string, Place>,
  visit: (place: Place) => void,
): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", shape.name);
  for (const [name, value] of Object.entries(shape.attributes)) {
    if (name !== "xmlns") made.setAttribute(name, String(value));
  }
  if (typeof shape.inside === "string") made.textContent = shape.inside;
  else made.append(...shape.inside.map((each) => shapeOf(each, places, visit)));
  const place = shape.node === undefined ? undefined : places.get(shape.node);
  // The list beside it is what is reached by keys and read out: an image has no buttons inside.
  if (place !== undefined) made.addEventListener("click", () => visit(place));
  return made;
}
