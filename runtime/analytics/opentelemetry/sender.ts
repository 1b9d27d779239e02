// Sends requests to a collector.

import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Logger } from "../../process/log.ts";
import { protobufOf, rejectsPart } from "./protobuf.ts";
import type { SignalSettings } from "./settings.ts";

/** `again`: the same may be taken later. */
export type SendOutcome = "taken" | "again" | "refused";

/** Answers after which OTLP lets senders try the same again. */
const passing: ReadonlySet<number> = /* @__PURE__ */ new Set([429, 502, 503, 504]);

const pack = /* @__PURE__ */ promisify(gzip);

/** One signal's way to the collector. */
export class OtlpSender {
  readonly #settings: SignalSettings;
  readonly #log: Logger;
  readonly #signal: string;
  #isFailing = false;

  /** `signal` is what people call it: `metrics`. */
  constructor(signal: string, settings: SignalSettings, log: Logger) {
    this.#signal = signal;
    this.#settings = settings;
    this.#log = log;
  }

  /** Sends one request; never rejects. Failures are logged once, until requests are accepted again. `end` cuts it short. */
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
      return this.#failed({ error }, true);
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

  #failed(why: object, mayPass: boolean): SendOutcome {
    if (!this.#isFailing)
      this.#log.warn("OpenTelemetry collector rejects exports", { signal: this.#signal, ...why });
    this.#isFailing = true;
    return mayPass ? "again" : "refused";
  }

  /** Where the collector took a part only, sending it again is of no use. */
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
