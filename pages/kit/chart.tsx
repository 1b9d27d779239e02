// A line chart of numbers over time.

import { useEffect, useRef, useState } from "preact/hooks";
import { locale } from "./messages.ts";

/** A line of a chart. Each value belongs to the time with the same index; `null` if unknown. */
export interface Line {
  readonly name: string;
  readonly colour: 1 | 2 | 3 | 4;
  readonly values: readonly (number | null)[];
}

/** The height of the chart and the space around its lines, in pixels. */
const height = 176;
const margin = { left: 48, top: 8, bottom: 26 };
/** Half the width of a time, in pixels; those of some languages are longer than `10:45:00 PM`. */
const halfTime = 38;

/** Converts times and values to pixels. */
interface Scales {
  readonly x: (seconds: number) => number;
  readonly y: (value: number) => number;
  /** Values and times with a grid line. */
  readonly values: readonly number[];
  readonly times: readonly number[];
}

/** Shows lines over time. `times`: seconds since 1970. `show`: formats a value. */
export function Chart(options: {
  readonly title: string;
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly show: (value: number | undefined) => string;
}) {
  const { title, times, lines, show } = options;
  const host = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  /** The position of the pointer, in pixels from the left. */
  const [pointed, setPointed] = useState<number>();
  useEffect(() => {
    const target = host.current;
    if (target === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(target.clientWidth));
    observer.observe(target);
    return () => observer.disconnect();
  }, []);
  const scales = scalesOf(times, lines, width);
  const chosen = pointed === undefined ? undefined : nearest(times, scales.x, pointed);
  const valueAt = ({ values }: Line, index: number | undefined) =>
    show((index === undefined ? values.at(-1) : values[index]) ?? undefined);
  const summary = lines.map((line) => `${line.name} ${valueAt(line, undefined)}`).join(", ");
  return (
    <figure class="card chart">
      <figcaption>
        <h2>{title}</h2>
      </figcaption>
      <div class="plot" ref={host} role="img" aria-label={`${title} over time; now: ${summary}`}>
        {width > margin.left && (
          <svg
            width={width}
            height={height}
            aria-hidden="true"
            onPointerMove={({ offsetX }) => setPointed(offsetX)}
            onPointerLeave={() => setPointed(undefined)}
          >
            <Grid scales={scales} width={width} />
            {lines.map(({ name, colour, values }) => (
              <path key={name} class="line" stroke={colourOf(colour)} d={pathOf(times, values, scales)} />
            ))}
            {chosen !== undefined && <Pointed time={times[chosen] ?? 0} scales={scales} width={width} />}
          </svg>
        )}
      </div>
      <ul class="legend">
        {lines.map((line) => (
          <li key={line.name}>
            <svg viewBox="0 0 10 10" aria-hidden="true">
              <rect width="10" height="10" rx="2" fill={colourOf(line.colour)} />
            </svg>
            {line.name} <b>{valueAt(line, chosen)}</b>
          </li>
        ))}
      </ul>
    </figure>
  );
}

function Grid({
  scales: { x, y, values, times },
  width,
}: {
  readonly scales: Scales;
  readonly width: number;
}) {
  return (
    <>
      {values.map((value) => (
        <g key={value}>
          <path class="grid" d={`M${margin.left} ${y(value)}H${width}`} />
          <text x={margin.left - 6} y={y(value) + 4} text-anchor="end">
            {value.toLocaleString(locale())}
          </text>
        </g>
      ))}
      {times.map((time) => (
        <g key={time}>
          <path class="grid" d={`M${x(time)} ${margin.top}V${height - margin.bottom}`} />
          {/* A time at the right edge ends there. */}
          <text x={Math.min(x(time), width - halfTime)} y={height - 6} text-anchor="middle">
            {timeOfDay(time)}
          </text>
        </g>
      ))}
    </>
  );
}

/** Marks the time whose values the legend shows while the pointer is over the chart. */
function Pointed(options: { readonly time: number; readonly scales: Scales; readonly width: number }) {
  const { time, scales, width } = options;
  const at = scales.x(time);
  const isLeft = at < (width + margin.left) / 2;
  return (
    <>
      <path class="pointed" d={`M${at} ${margin.top}V${height - margin.bottom}`} />
      <text x={at + (isLeft ? 6 : -6)} y={margin.top + 10} text-anchor={isLeft ? "start" : "end"}>
        {timeOfDay(time)}
      </text>
    </>
  );
}

function scalesOf(times: readonly number[], lines: readonly Line[], width: number): Scales {
  const [first = 0, last = first] = [times[0], times.at(-1)];
  const most = lines.reduce((known, { values }) => values.reduce(larger, known), 1) * 1.1;
  const perSecond = (width - margin.left) / Math.max(last - first, 1);
  const perUnit = (height - margin.top - margin.bottom) / most;
  return {
    x: (seconds) => margin.left + (seconds - first) * perSecond,
    y: (value) => height - margin.bottom - value * perUnit,
    values: multiples(roundStep(most / 4), 0, most),
    // The last time may be moved to the left by half its width.
    times: multiples(timeStep((3 * halfTime) / perSecond), first, last),
  };
}

function larger(known: number, value: number | null): number {
  return Math.max(known, value ?? 0);
}

/** Returns the smallest round step that is at least `least`: 1, 2 or 5 times a power of ten. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((times) => times * power >= least) ?? 10);
}

/** Like `roundStep`, with steps that are common for times, in seconds. */
function timeStep(least: number): number {
  return [1, 2, 5, 10, 15, 30, 60, 120, 300, 600].find((seconds) => seconds >= least) ?? roundStep(least);
}

function multiples(step: number, from: number, to: number): number[] {
  const start = Math.ceil(from / step);
  return Array.from(
    { length: Math.max(0, Math.floor(to / step) - start + 1) },
    (_, index) => (start + index) * step,
  );
}

/** Returns the path of a line, with a gap for unknown values. */
function pathOf(times: readonly number[], values: Line["values"], { x, y }: Scales): string {
  let path = "";
  let command = "M";
  for (const [index, value] of values.entries()) {
    if (value !== null) path += `${command}${x(times[index] ?? 0).toFixed(1)} ${y(value).toFixed(1)}`;
    command = value === null ? "M" : "L";
  }
  return path;
}

/** Returns the index of the time drawn nearest to a pixel; `undefined` if there are no times. */
function nearest(times: readonly number[], x: Scales["x"], pixel: number): number | undefined {
  const distances = times.map((time) => Math.abs(x(time) - pixel));
  const place = distances.indexOf(Math.min(...distances));
  return place === -1 ? undefined : place;
}

function colourOf(colour: Line["colour"]): string {
  return `var(--chart-${colour})`;
}

/** Formats a time in the user's locale. */
function timeOfDay(seconds: number): string {
  return new Intl.DateTimeFormat(locale(), { timeStyle: "medium" }).format(seconds * 1000);
}
