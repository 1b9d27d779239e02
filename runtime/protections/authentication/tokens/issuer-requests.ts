// Questions to servers that give out tokens and keys.

import { GatewayError } from "../../../errors.ts";
import { readAtMost } from "../../../requests/bounded-answer.ts";

/** What is asked; without a form it is a GET. */
export interface IssuerQuestion {
  readonly url: string;
  readonly form?: URLSearchParams;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the question before its time. */
  readonly signal: AbortSignal;
}

/** What an issuer answered that is not an answer: the cause of a 503. */
export class UnexpectedStatus extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`answered with status ${status}`);
    this.status = status;
  }
}

/** Milliseconds an issuer may take for an answer. */
const patience = 10_000;
/** Bytes of an answer: what is longer is not an answer to such a question. */
const longest = 512 * 1024;

/**
 * The object that the issuer answers with. Rejects with a `GatewayError` (503, retryable) when there is none: no
 * answer, another status than 200, a redirection, something that is not a JSON object.
 */
export async function askIssuer(question: IssuerQuestion): Promise<Readonly<Record<string, unknown>>> {
  try {
    const { url, form, headers = {}, signal } = question;
    const response = await fetch(url, {
      ...(form !== undefined && { method: "POST", body: form }),
      headers: { accept: "application/json", ...headers },
      // A credential must not follow to an address that is not configured, nor keys come from there.
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw unavailable(new UnexpectedStatus(response.status));
    }
    const answer: unknown = JSON.parse(await readText(response));
    if (typeof answer !== "object" || answer === null || Array.isArray(answer)) {
      throw unavailable(new Error("answered with no JSON object"));
    }
    return { ...answer };
  } catch (error) {
    throw error instanceof GatewayError ? error : unavailable(error);
  }
}

/** What callers get while their token cannot be verified. */
export function unavailable(cause?: unknown): GatewayError {
  const options = { retryAfter: 5, retryable: true, ...(cause !== undefined && { cause }) };
  return new GatewayError(503, "Credentials cannot be checked now", options);
}

async function readText(response: Response): Promise<string> {
  const bytes = await readAtMost(response, longest, () => unavailable(new Error("the answer is too long")));
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}
