// Responses: envelopes of writes, lists, and errors, including the error for duplicates of a unique value.

import { GatewayError } from "../errors.ts";
import { isDuplicate } from "../store/failures.ts";

/** A response other than a JSON object with status 200. */
export class RestAnswer {
  readonly status: number;
  /** An object is sent as JSON, texts and bytes unchanged. */
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

/** The response of a write: a text for people, or the id of the created record. */
export interface WrittenAnswer {
  readonly Status: "OK";
  readonly Message: string;
  readonly Meta: null;
}

/** Returns the response of a successful write. */
export function written(message: string): WrittenAnswer {
  return { Status: "OK", Message: message, Meta: null };
}

/** An error response as clients receive it. */
export interface ErrorAnswer {
  readonly Status: "Error";
  readonly Message: string;
  readonly Meta: null;
  /** The individual problems, if there may be several. */
  readonly Errors?: readonly (string | object)[];
}

/** Returns the body of an error response. */
export function refusalOf({ message, fields }: GatewayError): ErrorAnswer {
  const { errors } = fields;
  const list: readonly unknown[] = Array.isArray(errors) ? errors : [];
  const shown = list.map((each) => (typeof each === "object" && each !== null ? each : String(each)));
  return { Status: "Error", Message: message, Meta: null, ...(shown.length > 0 && { Errors: shown }) };
}

/**
 * Returns an error to throw. Within a transaction, it rolls the transaction back. `errors`: the individual problems,
 * which must not quote secrets of clients.
 */
export function refusal(
  status: number,
  message: string,
  errors: readonly (string | object)[] = [],
): GatewayError {
  return new GatewayError(status, message, { retryable: false, fields: { errors } });
}

/** Returns the error for an id that does not exist, or that belongs to another organisation. */
export function notFound(): GatewayError {
  return refusal(404, "Could not retrieve portal object.");
}

/** Returns the result of `work`. Rejects with 409 and the message if a unique value already exists in the store. */
export async function refuseDuplicate<T>(message: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GatewayError) || !isDuplicate(error.cause)) throw error;
    throw refusal(409, message);
  }
}
