// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { ValueFunction } from "../../processors/functions.ts";

/**
 * Replaces each message with the text of a template, in the language of Go's `text/template` with the functions of Sprig. `.` is the document of the message, and `meta` reads its metadata. Functions that use the environment, the network or much time are not available.
 */
export interface TemplateOptions {
  /**
   * Template, or the path of its file if `from_file` is true. It is checked when the gateway is built.
   */
  readonly text?: string;
  /**
   * Reads the template from the file that `text` names, relative to the document, when the gateway is built.
   */
  readonly from_file?: boolean;
  /**
   * Mappings that templates call as functions with one argument, by name. `this` is the argument.
   */
  readonly functions?: Readonly<Record<string, ValueFunction>>;
  /**
   * Further templates, by the name with which `{{ template "name" . }}` calls them.
   */
  readonly sub_templates?: Readonly<Record<string, SubTemplate>>;
  /**
   * Maximum number of steps of the template per message. A message that exceeds it is flagged as failed. Calls of functions, loop iterations and elements of lists are steps.
   */
  readonly max_steps?: number;
}
/**
 * A template that others call.
 */
export interface SubTemplate {
  /**
   * Template, or the path of its file if `from_file` is true.
   */
  readonly text: string;
  /**
   * Reads the template from the file that `text` names, relative to the document, when the gateway is built.
   */
  readonly from_file?: boolean;
}

/** What the fields hold that a document leaves out. */
export const templateDefaults = {
  text: "",
  from_file: false,
  max_steps: 5000000
} as const satisfies Partial<TemplateOptions>;
