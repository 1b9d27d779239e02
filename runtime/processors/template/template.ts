// `template`: replaces messages by the text of a template, in the language of Go's `text/template` with the functions of
// Sprig.

import type { Processor } from "../../component/component.ts";
import { MappingError } from "../../errors.ts";
import { MappingRun } from "../../mapping/run.ts";
import { deleted, nothing } from "../../message/value.ts";
import { encodeUtf8 } from "../../text/utf8.ts";
import { converting, documentOf } from "../formats/converting.ts";
import type { ValueFunction } from "../functions.ts";
import { type TemplateOptions, templateDefaults } from "../generated/template-options.ts";
import { Run } from "../jq/run.ts";
import { builtins } from "./builtins.ts";
import { compileTemplates } from "./compile.ts";
import { mainTemplate, treesOf } from "./set.ts";
import { failure, fromDocument, type TemplateFunction, type TemplateValue, toDocument } from "./values.ts";

/** Options, with the functions of Sprig that the templates call. */
type LinkedOptions = TemplateOptions & { readonly library?: Readonly<Record<string, TemplateFunction>> };

/** Replaces the content of each message by the text of the template. */
export function template(options: LinkedOptions): Processor {
  const { text, max_steps: mostSteps } = { ...templateDefaults, ...options };
  const { sub_templates: subTemplates = {}, functions = {}, library = {} } = options;
  const known = new Map<string, TemplateFunction>([
    ...builtins,
    ...Object.entries(library),
    ...Object.entries(functions).map(([name, map]) => [name, functionOf(name, map)] as const),
    ["meta", { takes: "string", call: (name: string) => current?.(name) }],
  ]);
  let current: ((name: string) => TemplateValue) | undefined;
  // The templates were checked when the gateway was built.
  const render = compileTemplates(
    {
      trees: treesOf(text, subTemplates),
      find: (name) => known.get(name),
      report: ({ message }) => {
        throw new Error(`template: ${message}`);
      },
    },
    mainTemplate,
  );
  return converting("template", (message) => {
    const document = documentOf(message, "Failed to parse part into json: ");
    const run = new Run("template: the template", mostSteps, message.bytes().length);
    current = (name) => {
      const value = message.metadata.get(name);
      return value === undefined ? null : fromDocument(value, true);
    };
    try {
      const rendered = run.within(() => render(run, fromDocument(document, message.isMade) ?? undefined));
      return message.withBytes(encodeUtf8(rendered));
    } catch (error) {
      // The nesting of values can exceed the stack of the JavaScript engine.
      if (error instanceof RangeError)
        throw new MappingError("template: a value is nested too deeply or too large");
      throw error;
    }
  });
}

/** Returns a mapping as a function of its argument. */
function functionOf(name: string, map: ValueFunction): TemplateFunction {
  return {
    takes: "any",
    call: (argument: TemplateValue) => {
      const given = toDocument(argument);
      const result = map(new MappingRun([], 0, undefined, { value: given }), undefined);
      if (result === deleted) throw failure(`\`${name}\` deletes its result`);
      return result === nothing ? argument : fromDocument(result, true);
    },
  };
}
