// What the portal answers: envelopes of writes, lists, and refusals.

import { GatewayError } from "../errors.ts";

/** What a write is answered with: a text for people, or the id of what was made. */
export interface Written {
  readonly Status: "OK";
  readonly Message: string;
  readonly Meta: null;
}

/** The answer of a write that was done. */
export function written(message: string): Written {
  return { Status: "OK", Message: message, Meta: null };
}

/** A refusal as clients get it. */
export interface Refused {
  readonly Status: "Error";
  readonly Message: string;
  readonly Meta: null;
  /** Each thing that is wrong, where there may be several. */
  readonly Errors?: readonly string[];
}

/** The body of a refusal. */
export function refusalOf({ message, details }: GatewayError): Refused {
  const { errors } = details;
  const texts = Array.isArray(errors) ? errors.map(String) : [];
  return { Status: "Error", Message: message, Meta: null, ...(texts.length > 0 && { Errors: texts }) };
}

/**
 * A refusal, to be thrown: within a transaction it undoes all of it. `errors`: each thing that is wrong, without quoting
 * what clients sent as a secret.
 */
export function refusal(status: number, message: string, errors: readonly string[] = []): GatewayError {
  return new GatewayError(status, message, { retryable: false, details: { errors } });
}

/** The refusal of an id that nobody has, or somebody of another organisation. */
export function notFound(): GatewayError {
  return refusal(404, "Could not retrieve portal object.");
}
