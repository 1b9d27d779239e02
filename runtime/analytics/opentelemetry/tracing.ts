// Creates spans, and propagates `traceparent` (W3C Trace Context, section 3.2) from a request's headers and a message's metadata to the messages that
// the stream continues with: to their metadata, which outputs convert to headers, and to the values that mappings
// read.

import type { IncomingMessage } from "node:http";
import { type GatewayError, MappingError } from "../../errors.ts";
import { type Batch, type Message, withoutName } from "../../message/message.ts";
import type { Value } from "../../message/value.ts";
import type { AttemptRecord } from "../attempt-record.ts";
import type { AnalyticsListener, StreamListener } from "../listener.ts";
import type { Sampling } from "./settings.ts";
import type { TraceSpan } from "./spans.ts";
import { beginSpan, parseTraceparent, printTraceparent, type TraceContext } from "./trace-context.ts";

/** Creates spans of connection attempts and of batches; passes the sampled ones to `record`. */
export function trace(
  sampling: Sampling,
  record: (span: TraceSpan) => void,
): Pick<AnalyticsListener, "attempt" | "stream"> {
  return {
    attempt({ request }) {
      const start = performance.now();
      const parent = parseTraceparent(headerOf(request));
      const context = beginSpan(parent, sampling);
      replaceHeaders(request, printTraceparent(context), parent !== undefined);
      return (attempt) => {
        if (context.isSampled) record(attemptSpan(attempt, context, parent, start));
      };
    },
    stream: (api, stream) => traceBatches(api, stream, sampling, record),
  };
}

/** Returns the header; `undefined` if it occurs several times. */
function headerOf({ headers }: IncomingMessage): string | undefined {
  const value = headers.traceparent;
  return typeof value === "string" ? value : undefined;
}

/**
 * Replaces the trace headers of a request, which messages and upstreams receive, so that their spans are below the
 * gateway's. Keeps `tracestate`, the data of other vendors, only if the trace continues (W3C Trace Context, section
 * 4.3).
 */
function replaceHeaders(request: IncomingMessage, value: string, keepsState: boolean): void {
  const replaced = new Set(keepsState ? ["traceparent"] : ["traceparent", "tracestate"]);
  if (!keepsState) delete request.headers.tracestate;
  request.headers.traceparent = value;
  const kept = request.rawHeaders.filter(
    (_, index, all) => !replaced.has(all[index - (index % 2)]?.toLowerCase() ?? ""),
  );
  // In place: the list of an HTTP/2 request cannot be replaced.
  request.rawHeaders.splice(0, request.rawHeaders.length, ...kept, "traceparent", value);
}

function attemptSpan(
  attempt: AttemptRecord,
  context: TraceContext,
  parent: TraceContext | undefined,
  start: number,
): TraceSpan {
  const { api, verb, route, stream, status, refusal, transport, remoteAddress } = attempt;
  return {
    context,
    parent,
    name: route === undefined ? verb : `${verb} ${route}`,
    kind: "server",
    start,
    end: performance.now(),
    attributes: {
      "http.request.method": verb,
      "http.route": route,
      "http.response.status_code": status,
      "client.address": remoteAddress,
      "sluice.transport": transport,
      "error.type": refusal ?? (status >= 500 ? String(status) : undefined),
      "sluice.api": api,
      "sluice.stream": stream,
    },
    links: [],
    failure: status >= 500 ? "" : undefined,
  };
}

function traceBatches(
  api: string,
  stream: string,
  sampling: Sampling,
  record: (span: TraceSpan) => void,
): StreamListener {
  return {
    began(batch) {
      const start = performance.now();
      const origins = batch.map(originOf);
      const parents = origins.map((origin, index) =>
        batch[index]?.parentTrace?.isLinked ? undefined : origin,
      );
      const parent = parents.find((each) => each !== undefined);
      const context = beginSpan(parent, sampling);
      const links = origins.filter((each) => each !== undefined && each.traceId !== context.traceId);
      return {
        batch: carryOn(batch, parents, context),
        ended(reason) {
          if (!context.isSampled) return;
          const failure = reason?.isReturn ? undefined : reason;
          record({
            context,
            parent,
            name: `process ${stream}`,
            kind: "consumer",
            start,
            end: performance.now(),
            attributes: {
              "sluice.api": api,
              "sluice.stream": stream,
              "messaging.batch.message_count": batch.length,
              "sluice.outcome": reason?.isReturn ? "returned" : undefined,
              "error.type": failure && String(failure.status),
            },
            links: links.filter((each) => each !== undefined),
            failure: failure && reasonOf(failure),
          });
        },
      };
    },
  };
}

/** Returns the text of a failure without the content of a message, which a mapping's failure quotes. */
function reasonOf(failure: GatewayError): string {
  return failure instanceof MappingError ? "a processor failed on a message" : failure.answer;
}

/**
 * Returns a metadata value by both spellings: requests have the name in the case of headers. Ignores request
 * parameters.
 */
function fieldOf({ metadata, parameters }: Message, name: string, canonical: string): Value | undefined {
  const value = parameters?.has(name) === true ? undefined : metadata.get(name);
  return value ?? metadata.get(canonical);
}

/**
 * Returns the origin of the message: the one that its input determined (`extract_tracing_map`), otherwise the one in
 * its metadata.
 */
function originOf(message: Message): TraceContext | undefined {
  const { parentTrace } = message;
  const value =
    parentTrace === undefined ? fieldOf(message, "traceparent", "Traceparent") : parentTrace.traceparent;
  return typeof value === "string" ? parseTraceparent(value) : undefined;
}

/**
 * Sets the trace of messages. Those without a trace, or in the trace of the span, continue below the span; others
 * keep their trace, which the span links to.
 */
function carryOn(batch: Batch, parents: readonly (TraceContext | undefined)[], context: TraceContext): Batch {
  const traceparent = printTraceparent(context);
  return batch.map((message, index) => {
    const parent = parents[index];
    const own =
      parent === undefined || parent.traceId === context.traceId ? traceparent : printTraceparent(parent);
    const metadata = new Map(message.metadata);
    const { parentTrace } = message;
    const state =
      parentTrace === undefined ? fieldOf(message, "tracestate", "Tracestate") : parentTrace.tracestate;
    metadata.delete("Traceparent");
    metadata.delete("Tracestate");
    metadata.set("traceparent", own);
    // `tracestate` has no meaning in another trace.
    const isOurs = typeof state === "string" && parent !== undefined;
    if (isOurs) metadata.set("tracestate", state);
    else metadata.delete("tracestate");
    const trace = { traceparent: own, ...(isOurs && { tracestate: state }) };
    const parameters = withoutName(withoutName(message.parameters, "traceparent"), "tracestate");
    return message.withMetadata(metadata, parameters).withTrace(trace);
  });
}
