// Describes failures for operators, never with the content of a message.

import { GatewayError, MappingError } from "../errors.ts";
import { EnvironmentError } from "../process/environment.ts";
import { type ComponentPlace, placeOf } from "./place.ts";
import { networkFault, unreachableText } from "./unreachable.ts";

/** The description of a failure without the message. */
export interface FailureDescription extends Partial<ComponentPlace> {
  /** The reason in one word, from a fixed set. */
  readonly reason: string;
  /** The reason in a sentence; absent if it could quote the message. */
  readonly detail?: string;
}

/** Reasons by status, for errors without a reason of their own. */
const reasons: Readonly<Record<number, string>> = {
  400: "bad_request",
  401: "unauthenticated",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  408: "timeout",
  413: "too_large",
  415: "unsupported_media_type",
  422: "unprocessable",
  426: "upgrade_required",
  429: "rate_limit",
  431: "head_too_large",
  500: "internal_error",
  501: "not_implemented",
  502: "delivery_failed",
  503: "unavailable",
  504: "upstream_timeout",
};

/** Returns the reason for errors with this status, in one word. */
export function reasonOf(status: number): string {
  return reasons[status] ?? String(status);
}

/**
 * Describes a failure. The text of a 422 may quote the message and is left out; the `detail` of a mapping never does.
 */
export function describeFailure(failure: GatewayError): FailureDescription {
  const reason =
    failure.reason ?? (failure instanceof MappingError ? "mapping_failed" : reasonOf(failure.status));
  const detail = failure instanceof MappingError ? failure.detail : detailOf(failure);
  return {
    reason,
    ...(detail !== undefined && { detail }),
    ...placeOf(failure),
  };
}

/** Returns why something did not start or was not applied, for operators; unknown errors are only in the log. */
export function startReason(error: unknown): string {
  if (error instanceof GatewayError) return withServer(error.answer, error);
  return error instanceof EnvironmentError ? error.message : withServer("Internal error", error);
}

/** Returns the text for callers, with the network error that caused it, which is for operators. */
function detailOf({ answer, cause, status }: GatewayError): string | undefined {
  return status === 422 ? undefined : withServer(answer, cause);
}

/** The end of texts for callers, which must not name the server; a code in parentheses may follow. */
const unreached = " cannot be reached";

/** Adds the server of a network error to `text`, unless the text contains the fault already. */
function withServer(text: string, error: unknown): string {
  const fault = networkFault(error);
  if (fault === undefined) return text;
  const end = text.indexOf(unreached);
  if (end > 0) return unreachableText(text.slice(0, end), fault);
  if (text.includes(fault.words)) return text;
  return `${text}: ${unreachableText("server", fault)}`;
}

/** Returns the description as one sentence: `mapping_failed, in enrich (orders.yaml:22)`. */
export function failureSentence({ reason, detail, component, at }: FailureDescription): string {
  const text = detail === undefined ? reason : `${reason}: ${detail}`;
  return component === undefined ? text : `${text}, in ${component} (${at})`;
}
