/** `${` that begins an environment reference or its escape `${{`, and not a `${! query }`. */
export const environmentReference = "\\$\\{(?!!)";

const reference = new RegExp(environmentReference);

/** Whether a text may hold environment references or their escapes. */
export function mentionsEnvironment(text: string): boolean {
  return reference.test(text);
}
