import { requestVariable } from "./request-variable.ts";

/**
 * Matches values that are unknown at build time: `${`, which begins an environment reference or its escape `${{` but
 * not a `${! query }`; secrets; variables of requests.
 */
export const environmentReference = `\\$\\{(?!!)|\\$secret_[a-z]+\\.|${requestVariable}`;

const reference = new RegExp(environmentReference);

/** Whether a text may contain environment references or their escapes. */
export function mentionsEnvironment(text: string): boolean {
  return reference.test(text);
}
