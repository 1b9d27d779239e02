// Values that must be there once.

import { GatewayError } from "../errors.ts";
import { refusal } from "../rest/answers.ts";
import { isDuplicate } from "../store/failures.ts";

/** Gives what `work` on the store gives; rejects with 409 and that message where a value is there already. */
export async function refuseDuplicate<T>(message: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GatewayError) || !isDuplicate(error.cause)) throw error;
    throw refusal(409, message);
  }
}
