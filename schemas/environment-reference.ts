import { requestVariable } from "./request-variable.ts";

/**
 * What is not known when the gateway is built: `${` that begins an environment reference or its escape `${{`, and
 * not a `${! query }`; secrets; variables that each request fills.
 */
export const environmentReference = `\\$\\{(?!!)|\\$secret_[a-z]+\\.|${requestVariable}`;

const reference = new RegExp(environmentReference);

/** Whether a text may hold environment references or their escapes. */
export function mentionsEnvironment(text: string): boolean {
  return reference.test(text);
}
