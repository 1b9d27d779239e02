// Creates spans, and propagates `traceparent` (W3C Trace Context, section 3.2) from a request's headers and a message's metadata to the messages that
// the stream continues with: to their metadata, which outputs convert to headers, and to the values that mappings
// read.

import type { IncomingMessage } from "node:http";
import { type GatewayError, MappingError } from "../../errors.ts";
import { requestTrace, type TracedRequest } from "../../http/request-metadata.ts";
import type { Batch } from "../../message/message.ts";
import type { StreamObserver } from "../../stream/observer.ts";
import type { AttemptRecord } from "../attempt-record.ts";
import type { AnalyticsListener } from "../listener.ts";
import type { Sampling } from "./settings.ts";
import type { TraceSpan } from "./spans.ts";
import { beginSpan, type OwnSpan, parseTraceparent, type TraceContext } from "./trace-context.ts";
import { carryOn, originOf, parentOf } from "./traced-messages.ts";

/** Creates spans of connection attempts and of batches; passes the sampled ones to `record`. */
export function trace(
  sampling: Sampling,
  record: (span: TraceSpan) => void,
): Pick<AnalyticsListener, "attempt" | "stream"> {
  return {
    attempt({ request }) {
      const parent = parseTraceparent(headerOf(request));
      const context = beginSpan(parent, sampling);
      setTrace(request, context, parent !== undefined);
      if (!context.isSampled) return undefined;
      const start = performance.now();
      return (attempt) => record(attemptSpan(attempt, context, parent, start));
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
 * Sets the trace of a request, which messages and upstreams receive, so that their spans are below the gateway's. Keeps
 * `tracestate`, the data of other vendors, only if the trace continues (W3C Trace Context, section 4.3).
 */
function setTrace(request: TracedRequest, context: OwnSpan, keepsState: boolean): void {
  const { headers, rawHeaders } = request;
  const { tracestate } = headers;
  if (headers.traceparent !== undefined) removeRaw(rawHeaders, "traceparent");
  if (tracestate !== undefined) {
    removeRaw(rawHeaders, "tracestate");
    // Several of them are one list (section 3.3.1); metadata would hold the first.
    if (keepsState) rawHeaders.push("tracestate", String(tracestate));
    else delete headers.tracestate;
  }
  const { traceparent } = context;
  headers.traceparent = traceparent;
  rawHeaders.push("traceparent", traceparent);
  request[requestTrace] = context;
}

/** Removes a header from a list of names and values, in place. */
function removeRaw(rawHeaders: string[], removed: string): void {
  let kept = 0;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = [rawHeaders[index], rawHeaders[index + 1]];
    if (name.length === removed.length && name.toLowerCase() === removed) continue;
    rawHeaders[kept] = name;
    rawHeaders[kept + 1] = value;
    kept += 2;
  }
  rawHeaders.length = kept;
}

function attemptSpan(
  attempt: AttemptRecord,
  context: OwnSpan,
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

/** What is left to do for the batch of a span that is not sampled. */
function recordNothing(): void {}

function traceBatches(
  api: string,
  stream: string,
  sampling: Sampling,
  record: (span: TraceSpan) => void,
): StreamObserver {
  return {
    began(batch) {
      const parent = parentOf(batch);
      const context = beginSpan(parent, sampling);
      const carried = carryOn(batch, context);
      if (!context.isSampled) return { batch: carried, ended: recordNothing };
      const start = performance.now();
      return {
        batch: carried,
        ended(reason) {
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
            links: linksOf(batch, context),
            failure: failure && reasonOf(failure),
          });
        },
      };
    },
  };
}

/** Returns the spans in other traces that the messages came from. */
function linksOf(batch: Batch, context: TraceContext): readonly TraceContext[] {
  return batch.flatMap((message) => {
    const origin = originOf(message);
    return origin === undefined || origin.traceId === context.traceId ? [] : origin;
  });
}

/** Returns the text of a failure without the content of a message, which a mapping's failure quotes. */
function reasonOf(failure: GatewayError): string {
  return failure instanceof MappingError ? "a processor failed on a message" : failure.answer;
}
