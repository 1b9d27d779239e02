// Charts of rates and lag over time, for all streams or for some.

import { Chart } from "../kit/chart.tsx";
import { rateText } from "../kit/numbers.ts";
import { past, type RatedCounter, seriesOf } from "./gateway.ts";

/** Shows the charts of the given streams, or of all streams if `keys` is absent. */
export function Charts({ keys }: { readonly keys?: readonly string[] }) {
  const times = past.value.map(({ at }) => at);
  const rate = (name: RatedCounter) => seriesOf(keys, ({ rates }) => rates?.[name]);
  const count = (value: number | undefined) => (value === undefined ? "–" : value.toLocaleString());
  return (
    <div class="columns">
      <Chart
        title="Messages a second"
        times={times}
        show={rateText}
        lines={[
          { name: "received", colour: 1, values: rate("received") },
          { name: "delivered", colour: 2, values: rate("delivered") },
          { name: "failed", colour: 3, values: rate("failed") },
        ]}
      />
      <Chart
        title="Waiting messages"
        times={times}
        show={count}
        lines={[
          { name: "in flight", colour: 1, values: seriesOf(keys, ({ inFlight }) => inFlight) },
          { name: "lag at the source", colour: 4, values: seriesOf(keys, ({ lag }) => lag) },
        ]}
      />
    </div>
  );
}
