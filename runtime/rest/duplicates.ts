// Values that must be unique.

import { GatewayError } from "../errors.ts";
import { isDuplicate } from "../store/failures.ts";
import { refusal } from "./answers.ts";

/** Gives what `work` on the store gives; rejects with 409 and that message where the store has the value already. */
export async function refuseDuplicate<T>(message: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GatewayError) || !isDuplicate(error.cause)) throw error;
    throw refusal(409, message);
  }
}
