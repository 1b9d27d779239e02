// Numbers over time as lines, drawn by uPlot.

import { useEffect, useMemo, useRef } from "preact/hooks";
import Plot from "uplot";
import { locale } from "./messages.ts";

/** A line of a chart; values stand beside the times of the chart, `null` where none is known. */
export interface Line {
  readonly name: string;
  readonly colour: 1 | 2 | 3 | 4;
  readonly values: readonly (number | null)[];
}

const height = 176;

/** Lines over time; `times` are seconds since 1970. `show` writes a value for people. */
export function Chart(options: {
  readonly title: string;
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly show: (value: number | undefined) => string;
}) {
  const { title, times, lines, show } = options;
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot>(undefined);
  const data = useMemo<Plot.AlignedData>(
    () => [[...times], ...lines.map(({ values }) => [...values])],
    [times, lines],
  );
  const drawn = useRef(data);
  drawn.current = data;
  const latest = lines.map((line) => ({ ...line, value: show(line.values.at(-1) ?? undefined) }));
  const names = lines.map(({ name, colour }) => `${name} ${colour}`).join();
  // Drawn anew only when there are other lines.
  useEffect(() => {
    const target = host.current;
    if (target === null) return undefined;
    const draw = () => {
      plot.current?.destroy();
      plot.current = new Plot(optionsOf(target, lines), drawn.current, target);
    };
    draw();
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", draw);
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: target.clientWidth, height }));
    observer.observe(target);
    return () => {
      scheme.removeEventListener("change", draw);
      observer.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [names]);
  useEffect(() => {
    plot.current?.setData(data);
  }, [data]);
  const summary = latest.map(({ name, value }) => `${name} ${value}`).join(", ");
  return (
    <figure class="card chart">
      <figcaption>
        <h2>{title}</h2>
      </figcaption>
      <div class="plot" ref={host} role="img" aria-label={`${title} over time; now: ${summary}`} />
      <ul class="legend">
        {latest.map(({ name, colour, value }) => (
          <li key={name}>
            <svg viewBox="0 0 10 10" aria-hidden="true">
              <rect width="10" height="10" rx="2" fill={`var(--chart-${colour})`} />
            </svg>
            {name} <b>{value}</b>
          </li>
        ))}
      </ul>
    </figure>
  );
}

function optionsOf(target: HTMLElement, lines: readonly Line[]): Plot.Options {
  // A canvas knows no variables: an element has them made into colours.
  const probe = document.createElement("i");
  target.append(probe);
  const colourOf = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const [ink, line] = [colourOf("--faint"), colourOf("--line")];
  const axis = {
    stroke: ink,
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
    font: "12px system-ui",
  };
  const series = lines.map(({ name, colour }) => ({
    label: name,
    stroke: colourOf(`--chart-${colour}`),
    width: 2,
    points: { show: false },
  }));
  probe.remove();
  return {
    width: target.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { y: { range: (_, __, most) => [0, Math.max(1, (most ?? 0) * 1.1)] } },
    axes: [
      { ...axis, space: 90, size: 30, values: timesOfDay },
      { ...axis, size: 48 },
    ],
    series: [{}, ...series],
  };
}

/** Times as the reader writes them. */
function timesOfDay(_: Plot, times: readonly number[]): string[] {
  const written = new Intl.DateTimeFormat(locale(), { timeStyle: "medium" });
  return times.map((seconds) => written.format(seconds * 1000));
}
