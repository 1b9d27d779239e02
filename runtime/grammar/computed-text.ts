// Texts that messages give, judged by the grammar of a protocol.

import type { Text } from "../component/text.ts";
import { GatewayError } from "../errors.ts";
import type { Limit } from "../process/environment-limits.ts";

/** Gives the text back; throws a `GatewayError` with 422 where the protocol cannot carry it. */
export type CheckText = (text: string) => string;

/** Judges the values of `field` by `form`, and refuses empty ones. The text that came last is not looked at again. */
export function checkText(field: string, form: Limit<string>): CheckText {
  return lookingOnce((text) => {
    if (text === "" || !form.accepts(text)) throw unfitText(field, form.expected);
  });
}

/**
 * The form of the texts that `text` gives: `unreserved`, which leaves out what the server keeps for itself, unless the
 * text is fixed or a reserved beginning is written in the document.
 */
export function formOf(text: Text, form: Limit<string>, unreserved: Limit<string>): Limit<string> {
  if (typeof text === "string" || !unreserved.accepts(`${text.beginning ?? ""}a`)) return form;
  return unreserved;
}

/** As `checkText`, where an empty text is one as well. */
export function checkOptionalText(field: string, form: Limit<string>): CheckText {
  return lookingOnce((text) => {
    if (!form.accepts(text)) throw unfitText(field, form.expected);
  });
}

/** Most outputs have one subject or topic, or few. */
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

/** Why a message cannot be sent. The text itself, which may be personal or long, is not in it. */
export function unfitText(field: string, expected: string): GatewayError {
  return unfit(`The computed \`${field}\` is not ${expected}`);
}

/** A failure that is the message's own: no attempt can change it. */
export function unfit(message: string): GatewayError {
  return new GatewayError(422, message, { retryable: false });
}

/** The same of a message that is larger than its target takes, which operators read as the reason. */
export function unfitSize(message: string, cause?: unknown): GatewayError {
  return new GatewayError(422, message, { retryable: false, reason: "too_large", cause });
}
