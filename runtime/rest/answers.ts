// What is answered: envelopes of writes, lists, and refusals, that of a value which must be unique included.

import { GatewayError } from "../errors.ts";
import { isDuplicate } from "../store/failures.ts";

/** An answer that is more than the JSON of an object with status 200. */
export class RestAnswer {
  readonly status: number;
  /** An object is sent as JSON; texts and bytes as they are. */
  readonly body: object | string | Uint8Array | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    body: object | string | Uint8Array | undefined,
    headers: Readonly<Record<string, string>> = {},
    status = 200,
  ) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** What a write is answered with: a text for people, or the id of what was made. */
export interface WrittenAnswer {
  readonly Status: "OK";
  readonly Message: string;
  readonly Meta: null;
}

/** The answer of a write that was done. */
export function written(message: string): WrittenAnswer {
  return { Status: "OK", Message: message, Meta: null };
}

/** A refusal as clients get it. */
export interface ErrorAnswer {
  readonly Status: "Error";
  readonly Message: string;
  readonly Meta: null;
  /** Each thing that is wrong, where there may be several. */
  readonly Errors?: readonly (string | object)[];
}

/** The body of a refusal. */
export function refusalOf({ message, details }: GatewayError): ErrorAnswer {
  const { errors } = details;
  const list: readonly unknown[] = Array.isArray(errors) ? errors : [];
  const told = list.map((each) => (typeof each === "object" && each !== null ? each : String(each)));
  return { Status: "Error", Message: message, Meta: null, ...(told.length > 0 && { Errors: told }) };
}

/**
 * A refusal, to be thrown: within a transaction it undoes all of it. `errors`: each thing that is wrong, without quoting
 * what clients sent as a secret.
 */
export function refusal(
  status: number,
  message: string,
  errors: readonly (string | object)[] = [],
): GatewayError {
  return new GatewayError(status, message, { retryable: false, details: { errors } });
}

/** The refusal of an id that does not exist, or only in another organisation. */
export function notFound(): GatewayError {
  return refusal(404, "Could not retrieve portal object.");
}

/** Gives what `work` on the store gives; rejects with 409 and that message where the store has the value already. */
export async function refuseDuplicate<T>(message: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GatewayError) || !isDuplicate(error.cause)) throw error;
    throw refusal(409, message);
  }
}
