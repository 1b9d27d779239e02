// Diagrams of streams: elements with the same shapes as the service's SVG, and next to each an equivalent list. Both
// link to the lines in the definition. The current activity is shown above; whatever blocks a stream is red.

import { h, type VNode } from "preact";
import type { Drawing } from "../../management/drawing/drawing.ts";
import { type DrawnElement, describeNode, pictureOf } from "../../management/drawing/picture.ts";
import { rateText } from "../kit/numbers.ts";
import { Badge } from "../kit/parts.tsx";
import { type Measured, rateOf, toneOfState, wordsOf } from "./streams.ts";

type Place = Drawing["nodes"][number]["place"];
type Visit = (place: Place) => void;

/** A diagram for each stream. `visit` is called with the position of a component that the user selects. */
export function Pictures(options: {
  readonly drawings: readonly Drawing[];
  readonly streams: readonly Measured[];
  readonly visit: Visit;
}) {
  const { drawings, streams, visit } = options;
  return (
    <>
      {drawings.map((drawing) => (
        <Picture
          key={drawing.stream}
          drawing={drawing}
          live={streams.find(({ stream }) => stream === drawing.stream)}
          visit={visit}
        />
      ))}
    </>
  );
}

function Picture(options: {
  readonly drawing: Drawing;
  readonly live: Measured | undefined;
  readonly visit: Visit;
}) {
  const { drawing, live, visit } = options;
  const shape = pictureOf(drawing);
  const places = new Map(drawing.nodes.map(({ id, place }) => [id, place]));
  const held = live?.state === "blocked" ? "stalled" : live?.state === "failed" ? "stalled failed" : "";
  return (
    <figure class={`card ${held}`}>
      <figcaption>
        <h3>{drawing.stream}</h3>
        {live !== undefined && (
          <>
            <Badge tone={toneOfState(live.state)}>{live.state}</Badge>
            <span class="note">
              {rateText(rateOf([live], "received"))}/s in, {rateText(rateOf([live], "written"))}/s out
            </span>
            {live.reason !== undefined && <span class="bad">{wordsOf(live.reason)}</span>}
          </>
        )}
      </figcaption>
      {shape !== undefined && (
        <div
          class="view"
          role="group"
          aria-label={`Picture of ${drawing.stream}`}
          // Wide diagrams can be scrolled, including by keyboard.
          // biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1
          tabIndex={0}
        >
          {elementOf(shape, places, visit)}
        </div>
      )}
      <details open={shape === undefined}>
        <summary>The same as a list</summary>
        <List drawing={drawing} visit={visit} />
      </details>
    </figure>
  );
}

/** Lists each component and the destinations of its messages. */
function List({ drawing: { nodes, edges }, visit }: { readonly drawing: Drawing; readonly visit: Visit }) {
  const names = new Map(nodes.map((node) => [node.id, node.label ?? node.component]));
  return (
    <ol>
      {nodes.map((node) => {
        const targets = edges
          .filter(({ from }) => from === node.id)
          .map(({ to, label }) => `${names.get(to) ?? to}${label === undefined ? "" : ` (${label})`}`);
        return (
          <li key={node.id}>
            <button type="button" class="link" onClick={() => visit(node.place)}>
              {describeNode(node)}
            </button>
            {targets.length === 0 ? "" : ` → ${targets.join(", ")}`}
          </li>
        );
      })}
    </ol>
  );
}

function elementOf(shape: DrawnElement, places: ReadonlyMap<string, Place>, visit: Visit): VNode {
  const { name, attributes, inside, node } = shape;
  const place = node === undefined ? undefined : places.get(node);
  const children = typeof inside === "string" ? inside : inside.map((each) => elementOf(each, places, visit));
  // Keyboards and screen readers use the list instead: an image contains no buttons.
  return h(name, { ...attributes, ...(place !== undefined && { onClick: () => visit(place) }) }, children);
}
