// Checks texts computed from messages against the grammar of a protocol.

import type { Text } from "../component/text.ts";
import { GatewayError } from "../errors.ts";
import type { EnvironmentLimit } from "../process/environment-limits.ts";

/** Returns the text; throws a `GatewayError` with 422 if the protocol cannot carry it. */
export type CheckText = (text: string) => string;

/**
 * Returns a check of the values of `field` against `form`, which refuses empty values. The previous value is not
 * checked again.
 */
export function checkText(field: string, form: EnvironmentLimit<string>): CheckText {
  return lookingOnce((text) => {
    if (text === "" || !form.accepts(text)) throw unfitText(field, form.expected);
  });
}

/**
 * Returns the form for the results of `text`: `unreserved`, which excludes values that the server reserves, unless
 * the text is fixed or the document itself starts it with a reserved beginning.
 */
export function formOf(
  text: Text,
  form: EnvironmentLimit<string>,
  unreserved: EnvironmentLimit<string>,
): EnvironmentLimit<string> {
  if (typeof text === "string" || !unreserved.accepts(`${text.beginning ?? ""}a`)) return form;
  return unreserved;
}

/** As `checkText`, but accepts an empty text if `form` does. */
export function checkOptionalText(field: string, form: EnvironmentLimit<string>): CheckText {
  return lookingOnce((text) => {
    if (!form.accepts(text)) throw unfitText(field, form.expected);
  });
}

/** Remembers the last valid text: most outputs have one subject or topic, or few. */
function lookingOnce(judge: (text: string) => void): CheckText {
  let last = "";
  let isKnown = false;
  return (text) => {
    if (isKnown && text === last) return text;
    judge(text);
    last = text;
    isKnown = true;
    return text;
  };
}

/** Returns the error for a message that cannot be sent. It does not contain the text, which may be personal or long. */
export function unfitText(field: string, expected: string): GatewayError {
  return unfit(`The computed \`${field}\` is not ${expected}`);
}

/** Returns an error caused by the message itself: no further attempt can succeed. */
export function unfit(message: string): GatewayError {
  return new GatewayError(422, message, { retryable: false });
}

/** As `unfit`, for a message that is larger than its target accepts; operators see this reason. */
export function unfitSize(message: string, cause?: unknown): GatewayError {
  return new GatewayError(422, message, { retryable: false, reason: "too_large", cause });
}
