// A failure as it is reported to operators: never with the content of a message.

import { GatewayError, MappingError } from "../errors.ts";
import { EnvironmentError } from "../process/environment.ts";
import { type ComponentPlace, placeOf } from "./place.ts";
import { networkFault, unreachableText } from "./unreachable.ts";

/** What can be said about a failure without showing the message. */
export interface FailureDescription extends Partial<ComponentPlace> {
  /** Why, in one word: one of a few, whatever the message. */
  readonly reason: string;
  /** Why, in a sentence; absent where it could quote the message. */
  readonly detail?: string;
}

/** Why an error of that status came, for those that name no reason of their own. */
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

/** Why an error of that status came, in one word. */
export function reasonOf(status: number): string {
  return reasons[status] ?? String(status);
}

/** Describes a failure. What a 422 says is about the message, and may quote it; the `detail` of a mapping does not. */
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

/** Why something did not start or was not applied, for operators; the texts of unknown errors stay in the log. */
export function startReason(error: unknown): string {
  if (error instanceof GatewayError) return withServer(error.answer, error);
  return error instanceof EnvironmentError ? error.message : withServer("Internal error", error);
}

/** The text for callers, with the network error behind it, which is for operators. */
function detailOf({ answer, cause, status }: GatewayError): string | undefined {
  return status === 422 ? undefined : withServer(answer, cause);
}

/** How texts for callers end that must not name the server; a code in parentheses may follow. */
const unreached = " cannot be reached";

/** `text`, with the server that an error of the network names where it does not say so itself. */
function withServer(text: string, error: unknown): string {
  const fault = networkFault(error);
  if (fault === undefined) return text;
  const end = text.indexOf(unreached);
  if (end > 0) return unreachableText(text.slice(0, end), fault);
  if (text.includes(fault.words)) return text;
  return `${text}: ${unreachableText("server", fault)}`;
}

/** The same as one sentence: `mapping_failed in enrich (orders.yaml:22)`. */
export function failureSentence({ reason, detail, component, at }: FailureDescription): string {
  const text = detail === undefined ? reason : `${reason}: ${detail}`;
  return component === undefined ? text : `${text}, in ${component} (${at})`;
}
