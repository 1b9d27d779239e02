// The fields of the sign-up form in addition to the password: `signup_fields` of the configuration.

import { refusal } from "../../rest/answers.ts";
import type { Configuration } from "../generated/configuration.ts";
import type { SignUpField } from "../page/own-records.ts";

/** The maximum length of a name, a label and an answer. */
const mostCharacters = 1_000;

/**
 * Returns the sign-up fields of a configuration. An item is the name of a field, or an object with `name` and
 * optionally `label` and `required`. Ignores other items, which other pages may understand. The first of several items
 * with the same name counts.
 */
export function signUpFields({ signup_fields: items = [] }: Configuration): readonly SignUpField[] {
  const found = new Map<string, SignUpField>();
  for (const item of items) {
    const field = readField(item);
    if (field !== undefined && !found.has(field.name)) found.set(field.name, field);
  }
  return [...found.values()];
}

/** Throws 400 and names the fields if a required answer is missing or blank, or an answer is too long. */
export function checkSignUpFields(
  configuration: Configuration,
  answers: Readonly<Record<string, string>>,
): void {
  const given = new Map(Object.entries(answers));
  const missing = signUpFields(configuration)
    .filter(({ name, required }) => required && (given.get(name) ?? "").trim() === "")
    .map(({ name }) => `fields.${name}: This field is required.`);
  const long = [...given]
    .filter(([, answer]) => answer.length > mostCharacters)
    .map(([name]) => `fields.${name}: ${mostCharacters} characters at most.`);
  const faults = [...missing, ...long];
  if (faults.length > 0) throw refusal(400, "The sign-up is incomplete or too long.", faults);
}

function readField(item: unknown): SignUpField | undefined {
  const { name, label, required }: Partial<Record<keyof SignUpField, unknown>> =
    typeof item === "string" ? { name: item } : Object(item);
  if (!isText(name)) return undefined;
  return { name, label: isText(label) ? label : name, required: required === true };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && value.length <= mostCharacters;
}
