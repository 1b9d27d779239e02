// Mistakes in the destinations of metrics and traces.

import { type Kind, linesWith, replaced, slip } from "../mutation.ts";

export const analytics: readonly Kind[] = [
  replaced(
    "path of a signal after a collector's address",
    /(?<=endpoint: )https?:\/\/[\w.:-]+$/,
    ({ match }) => `${match[0]}/v1/traces`,
  ),
  replaced("collector's port for gRPC", /(?<=endpoint: https?:\/\/[\w.-]+:)4318/, () => "4317"),
  replaced("exporter of nothing", /(?<=^ +)endpoint: http.*\n(?= +headers:)/, ({ match }) => ({
    text: `metrics: false\n    traces: false\n    ${match[0]}`,
    lines: (changed) => linesWith(changed, /opentelemetry:|metrics: false|traces: false/),
  })),
  replaced("exporter misspelt", /(?<=^ +)(?:prometheus|opentelemetry|statsd)(?=:)/, ({ match }) =>
    slip(match[0]),
  ),
  replaced("number named as the gateway's own", /(?<=type: counter_by, name: )\w+/, ({ match, text }) =>
    text.includes("parcels") ? `sluice_${match[0]}` : undefined,
  ),
];
