// Sends requests to a collector, as JSON or as Protocol Buffers: a request in OTLP's JSON is encoded with the field
// numbers of opentelemetry-proto 1.x. The tables contain only the fields that requests use here; any other field in a
// request would be a mistake in this code.

import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Logger } from "../../process/log.ts";
import type { SignalSettings } from "./settings.ts";

/** The encoding of a value. Each element of a list is a separate field; a packed list is one field. */
type Form =
  | "text"
  | "hex"
  | "int"
  | "fixed64"
  | "fixed32"
  | "double"
  | "packed fixed64"
  | "packed double"
  | Fields;

/** The fields of a message by their names in JSON. */
interface Fields {
  readonly [name: string]: readonly [number: number, form: Form];
}

const anyValue: Fields = {
  stringValue: [1, "text"],
  boolValue: [2, "int"],
  intValue: [3, "int"],
  doubleValue: [4, "double"],
};

const attribute: Fields = { key: [1, "text"], value: [2, anyValue] };

const resource: Fields = { attributes: [1, attribute] };

const scope: Fields = { name: [1, "text"] };

const link: Fields = { traceId: [1, "hex"], spanId: [2, "hex"] };

const status: Fields = { message: [2, "text"], code: [3, "int"] };

const span: Fields = {
  traceId: [1, "hex"],
  spanId: [2, "hex"],
  parentSpanId: [4, "hex"],
  name: [5, "text"],
  kind: [6, "int"],
  startTimeUnixNano: [7, "fixed64"],
  endTimeUnixNano: [8, "fixed64"],
  attributes: [9, attribute],
  links: [13, link],
  status: [15, status],
  flags: [16, "fixed32"],
};

const times: Fields = { startTimeUnixNano: [2, "fixed64"], timeUnixNano: [3, "fixed64"] };

const distribution: Fields = { ...times, count: [4, "fixed64"], sum: [5, "double"] };

const numbers: Fields = { ...times, asDouble: [4, "double"], attributes: [7, attribute] };

const summaries: Fields = { ...distribution, attributes: [7, attribute] };

const histograms: Fields = {
  ...distribution,
  bucketCounts: [6, "packed fixed64"],
  explicitBounds: [7, "packed double"],
  attributes: [9, attribute],
};

const metric: Fields = {
  name: [1, "text"],
  description: [2, "text"],
  unit: [3, "text"],
  gauge: [5, { dataPoints: [1, numbers] }],
  sum: [7, { dataPoints: [1, numbers], aggregationTemporality: [2, "int"], isMonotonic: [3, "int"] }],
  histogram: [9, { dataPoints: [1, histograms], aggregationTemporality: [2, "int"] }],
  summary: [11, { dataPoints: [1, summaries] }],
};

/** `ExportTraceServiceRequest` and `ExportMetricsServiceRequest`. */
const request: Fields = {
  resourceSpans: [1, { resource: [1, resource], scopeSpans: [2, { scope: [1, scope], spans: [2, span] }] }],
  resourceMetrics: [
    1,
    { resource: [1, resource], scopeMetrics: [2, { scope: [1, scope], metrics: [2, metric] }] },
  ],
};

/** Returns the Protocol Buffers body of a request to `/v1/traces` or `/v1/metrics`, from its JSON form. */
export function protobufOf(body: object): Buffer {
  return Buffer.concat(message(body, request));
}

/** Whether a response, an `Export…ServiceResponse`, reports that a part of the request was rejected. */
function rejectsPart(answer: Uint8Array): boolean {
  // Field 1 is `partial_success`, whose field 1 is the number of rejected items; zero is not encoded.
  return answer[0] === 0x0a && answer[2] === 0x08 && answer[3] !== 0;
}

function message(value: object, fields: Fields): Buffer[] {
  const written = new Map(Object.entries(value));
  // In the order of the field numbers, as encoders of the format usually write them.
  return Object.entries(fields).flatMap(([name, [number, form]]) => {
    const found: unknown = written.get(name);
    if (found === undefined) return [];
    if (Array.isArray(found) && !isPacked(form)) return found.flatMap((each) => field(number, form, each));
    return field(number, form, found);
  });
}

function isPacked(form: Form): boolean {
  return typeof form === "string" && form.startsWith("packed");
}

function field(number: number, form: Form, value: unknown): Buffer[] {
  switch (form) {
    case "int":
      return [varint(number * 8), varint(Number(value))];
    case "double":
      return [varint(number * 8 + 1), double(value)];
    case "fixed64":
      return [varint(number * 8 + 1), fixed64(value)];
    case "fixed32":
      return [varint(number * 8 + 5), fixed32(Number(value))];
    case "text":
      return withLength(number, [Buffer.from(String(value))]);
    case "hex":
      return withLength(number, [Buffer.from(String(value), "hex")]);
    case "packed fixed64":
      return packed(number, value, fixed64);
    case "packed double":
      return packed(number, value, double);
    default:
      return typeof value === "object" && value !== null ? withLength(number, message(value, form)) : [];
  }
}

/** Encodes a packed list; an empty list is omitted. */
function packed(number: number, values: unknown, write: (value: unknown) => Buffer): Buffer[] {
  return Array.isArray(values) && values.length > 0 ? withLength(number, values.map(write)) : [];
}

function withLength(number: number, parts: readonly Buffer[]): Buffer[] {
  const length = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return [varint(number * 8 + 2), varint(length), ...parts];
}

/** Encodes a 64-bit integer in two's complement, seven bits per byte. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

function double(value: unknown): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeDoubleLE(Number(value));
  return bytes;
}

function fixed64(value: unknown): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64LE(BigInt(String(value)));
  return bytes;
}

function fixed32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** `again`: the collector may accept the same request later. */
export type SendOutcome = "taken" | "again" | "refused";

/** The statuses after which OTLP allows sending the same request again. */
const passing: ReadonlySet<number> = /* @__PURE__ */ new Set([429, 502, 503, 504]);

/** What the log says of a request that the end of the gateway aborted: the collector may be well. */
const unsent = "shutdown deadline exceeded before the last OpenTelemetry exports";

const pack = /* @__PURE__ */ promisify(gzip);

/** Sends the requests of one signal to the collector. */
export class OtlpSender {
  readonly #settings: SignalSettings;
  readonly #log: Logger;
  readonly #signal: string;
  #isFailing = false;

  /** `signal`: its name in logs, such as `metrics`. */
  constructor(signal: string, settings: SignalSettings, log: Logger) {
    this.#signal = signal;
    this.#settings = settings;
    this.#log = log;
  }

  /**
   * Sends one request; never rejects. Logs the first failure, and the first success after it. `end` aborts the
   * request.
   */
  async send(body: object, end?: AbortSignal): Promise<SendOutcome> {
    const { url, timeout } = this.#settings;
    const late = AbortSignal.timeout(timeout);
    try {
      const response = await fetch(url, {
        method: "POST",
        ...(await this.#written(body)),
        redirect: "error",
        signal: end === undefined ? late : AbortSignal.any([late, end]),
      });
      const answer = new Uint8Array(await response.arrayBuffer());
      if (!response.ok) return this.#failed({ status: response.status }, passing.has(response.status));
      this.#succeeded(answer);
      return "taken";
    } catch (error) {
      if (end?.aborted) return this.#failed({}, true, unsent);
      return late.aborted
        ? this.#failed({ seconds: timeout / 1000 }, true, "OpenTelemetry collector does not answer in time")
        : this.#failed({ error }, true, "OpenTelemetry collector cannot be reached");
    }
  }

  async #written(body: object) {
    const { headers, compression, protocol } = this.#settings;
    const [bytes, type] =
      protocol === "http/protobuf"
        ? [protobufOf(body), "application/x-protobuf"]
        : [Buffer.from(JSON.stringify(body)), "application/json"];
    const own = { ...headers, "content-type": type };
    if (compression === "none") return { body: bytes, headers: own };
    return { body: await pack(bytes), headers: { ...own, "content-encoding": "gzip" } };
  }

  #failed(why: object, mayPass: boolean, text = "OpenTelemetry collector rejects exports"): SendOutcome {
    if (!this.#isFailing) this.#log.warn(text, { signal: this.#signal, ...why });
    this.#isFailing = true;
    return mayPass ? "again" : "refused";
  }

  /** Handles a success. If the collector accepted only a part, sending the request again would not help. */
  #succeeded(answer: Uint8Array): void {
    if (this.#isFailing)
      this.#log.info("OpenTelemetry collector accepts exports again", { signal: this.#signal });
    this.#isFailing = false;
    const isPartial =
      this.#settings.protocol === "http/protobuf"
        ? rejectsPart(answer)
        : /"rejected(?:Spans|DataPoints)"\s*:\s*"?[1-9]/.test(Buffer.from(answer).toString());
    if (isPartial)
      this.#log.warn("OpenTelemetry collector rejected a part of an export", { signal: this.#signal });
  }
}
