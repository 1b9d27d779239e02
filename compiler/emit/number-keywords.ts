// Keywords for numbers that compare what a request has written, in place of those of ajv, which compare doubles.

import type { Ajv2020, KeywordCxt } from "ajv/dist/2020.js";

/** Functions of the runtime that the keywords call. */
export const numberHelpers = ["compareWritten", "isAmongWritten", "isInt64", "isMultiple"] as const;

/**
 * Adds the keywords to a validator. The values of limits are texts; `numbers` lists those of `enum` and `const`, whose
 * other values ajv compares.
 */
export function addNumberKeywords(
  ajv: Ajv2020,
  { _, str }: Pick<typeof import("ajv/dist/2020.js"), "_" | "str">,
): void {
  const functions = {
    compareWritten: { ref: {}, code: _`compareWritten` },
    isAmongWritten: { ref: {}, code: _`isAmongWritten` },
    isInt64: { ref: {}, code: _`isInt64` },
    isMultiple: { ref: {}, code: _`isMultiple` },
  };
  const call = (name: (typeof numberHelpers)[number], { gen, data, schema, schemaCode, it }: KeywordCxt) => {
    const given = schema === true ? data : _`${data}, ${schemaCode}`;
    return _`${gen.scopeValue("func", functions[name])}(${given}, ${it.parentData}, ${it.parentDataProperty})`;
  };
  for (const { keyword, beyond, isRefused, sign } of [
    { keyword: "maximum", beyond: _`>`, isRefused: _`> 0`, sign: "<=" },
    { keyword: "minimum", beyond: _`<`, isRefused: _`< 0`, sign: ">=" },
    { keyword: "exclusiveMaximum", beyond: _`>`, isRefused: _`>= 0`, sign: "<" },
    { keyword: "exclusiveMinimum", beyond: _`<`, isRefused: _`<= 0`, sign: ">" },
  ]) {
    ajv.removeKeyword(keyword).addKeyword({
      keyword,
      type: "number",
      schemaType: "string",
      error: { message: ({ schema }) => str`must be ${sign} ${schema}` },
      code(context) {
        const { data, schema } = context;
        const bound = Number(schema);
        // Only a number that is read as the bound may lie on either side of it.
        const isNear = _`${data} === ${bound} && ${call("compareWritten", context)} ${isRefused}`;
        context.fail(_`${data} ${beyond} ${bound} || ${isNear}`);
      },
    });
  }
  ajv.removeKeyword("multipleOf").addKeyword({
    keyword: "multipleOf",
    type: "number",
    schemaType: "string",
    error: { message: ({ schema }) => str`must be multiple of ${schema}` },
    code: (context) => context.fail(_`!${call("isMultiple", context)}`),
  });
  ajv.addKeyword({
    keyword: "int64",
    type: "number",
    schemaType: "boolean",
    error: { message: 'must match format "int64"' },
    code: (context) => context.fail(_`!${call("isInt64", context)}`),
  });
  ajv.addKeyword({
    keyword: "numbers",
    type: "number",
    schemaType: "array",
    error: { message: "must be equal to one of the allowed values" },
    code: (context) => context.fail(_`!${call("isAmongWritten", context)}`),
  });
}
