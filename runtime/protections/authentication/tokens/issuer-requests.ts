// Requests to servers that issue tokens and keys.

import { GatewayError } from "../../../errors.ts";
import { readAtMost } from "../../../requests/bounded-answer.ts";

/** A request to an issuer; without a form it is a GET. */
export interface IssuerQuestion {
  readonly url: string;
  readonly form?: URLSearchParams;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the request early. */
  readonly signal: AbortSignal;
}

/** The cause of a 503: the issuer responded with an unexpected status. */
export class UnexpectedStatus extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`answered with status ${status}`);
    this.status = status;
  }
}

/** Milliseconds within which an issuer must respond. */
const patience = 10_000;
/** The longest response in bytes. */
const longest = 512 * 1024;

/**
 * Resolves with the JSON object that the issuer responds with. Rejects with a `GatewayError` (503, retryable) if
 * there is no response, the status is not 200, it is a redirect, or the body is not a JSON object.
 */
export async function askIssuer(question: IssuerQuestion): Promise<Readonly<Record<string, unknown>>> {
  try {
    const { url, form, headers = {}, signal } = question;
    const response = await fetch(url, {
      ...(form !== undefined && { method: "POST", body: form }),
      headers: { accept: "application/json", ...headers },
      // A redirect could send a credential to an address that is not configured, or get keys from there.
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw unavailable(new UnexpectedStatus(response.status));
    }
    const answer: unknown = JSON.parse(await readText(response));
    if (typeof answer !== "object" || answer === null || Array.isArray(answer)) {
      throw unavailable(new Error("did not answer with a JSON object"));
    }
    return { ...answer };
  } catch (error) {
    throw error instanceof GatewayError ? error : unavailable(error);
  }
}

/** Returns the error for callers whose token cannot be verified now. */
export function unavailable(cause?: unknown): GatewayError {
  const options = { retryAfter: 5, retryable: true, ...(cause !== undefined && { cause }) };
  return new GatewayError(503, "Credentials cannot be checked now", options);
}

async function readText(response: Response): Promise<string> {
  const bytes = await readAtMost(response, longest, () => unavailable(new Error("the answer is too long")));
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}
