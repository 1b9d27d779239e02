// Keywords for schemas with `unevaluatedItems` and `unevaluatedProperties`, in place of those of ajv, which lose track of
// what other keywords have evaluated.

import type { Ajv2020, KeywordCxt } from "ajv/dist/2020.js";

/** Parts of ajv that generate code. */
export type Generating = Pick<typeof import("ajv/dist/2020.js"), "_" | "nil" | "str" | "Name"> &
  Pick<typeof import("ajv/dist/compile/util.js"), "mergeEvaluated" | "Type">;

/**
 * Adds the keywords to a validator whose schemas with such a keyword are functions of their own: what ajv remembers of one
 * value would otherwise remain for the next item of a list. `it.props` has the evaluated names of an object, and for
 * `contains` the evaluated indexes of a list.
 */
export function addUnevaluatedKeywords(
  ajv: Ajv2020,
  { _, nil, str, Name, mergeEvaluated, Type }: Generating,
): void {
  ajv.removeKeyword("unevaluatedItems").addKeyword({
    keyword: "unevaluatedItems",
    type: "array",
    schemaType: ["boolean", "object"],
    error: { message: "must NOT have unevaluated items" },
    code(context) {
      const { gen, schema, data, it } = context;
      const { items, props: marks } = it;
      it.items = true;
      if (items === true || schema === true) return;
      const length = gen.const("len", _`${data}.length`);
      // A name is undefined or true after some of the alternatives.
      const from =
        items instanceof Name ? _`${items} === true ? ${length} : ${items} || 0` : _`${items ?? 0}`;
      const valid = gen.var("valid", true);
      gen.forRange("i", gen.const("from", from), length, (index) => {
        const isSeen =
          marks instanceof Name
            ? _`typeof ${marks} == "object" && Object.hasOwn(${marks}, ${index})`
            : _`false`;
        gen.if(_`!(${isSeen})`, () => {
          if (schema === false) gen.assign(valid, false);
          else
            context.subschema(
              { keyword: "unevaluatedItems", dataProp: index, dataPropType: Type.Num },
              valid,
            );
          if (schema === false || it.allErrors !== true) gen.if(_`!${valid}`, () => gen.break());
        });
      });
      if (schema === false) context.fail(_`!${valid}`);
      else context.ok(valid);
    },
  });
  ajv.removeKeyword("unevaluatedProperties").addKeyword({
    keyword: "unevaluatedProperties",
    type: "object",
    schemaType: ["boolean", "object"],
    trackErrors: true,
    error: {
      message: "must NOT have unevaluated properties",
      params: ({ params: { name } }) => _`{unevaluatedProperty: ${name}}`,
    },
    code(context) {
      const { gen, schema, data, it } = context;
      const { props } = it;
      it.props = true;
      if (props === true || schema === true) return;
      const errors = context.errsCount;
      const isSeen = (key: InstanceType<typeof Name>) => {
        // Not `props[key]`, which every object has for names such as `toString`.
        if (props instanceof Name)
          return _`${props} === true || ${props} !== undefined && Object.hasOwn(${props}, ${key})`;
        const known = Object.keys(props ?? {}).map((name) => _`${key} === ${name}`);
        return known.reduce((all, one) => _`${all} || ${one}`, _`false`);
      };
      gen.forIn("key", data, (key) =>
        gen.if(_`!(${isSeen(key)})`, () => {
          if (schema === false) {
            context.setParams({ name: key });
            context.error();
            if (it.allErrors !== true) gen.break();
            return;
          }
          const valid = gen.name("valid");
          context.subschema(
            { keyword: "unevaluatedProperties", dataProp: key, dataPropType: Type.Str },
            valid,
          );
          if (it.allErrors !== true) gen.if(_`!${valid}`, () => gen.break());
        }),
      );
      context.ok(_`${errors} === errors`);
    },
  });
  ajv.removeKeyword("contains").addKeyword({
    keyword: "contains",
    // Without `type`, so that the marks exist for values of all types.
    schemaType: ["object", "boolean"],
    trackErrors: true,
    error: {
      message: ({ params: { least, most } }) =>
        most === undefined
          ? str`must contain at least ${least} valid item(s)`
          : str`must contain at least ${least} and no more than ${most} valid item(s)`,
    },
    code(context) {
      const { gen, parentSchema, data, it } = context;
      const { minContains: least = 1, maxContains: most } = parentSchema;
      context.setParams({ least, most });
      const isList = _`Array.isArray(${data})`;
      const marks = gen.let("props", it.props === true ? _`${isList} ? {} : true` : _`{}`);
      const count = gen.let("count", 0);
      gen.if(isList, () =>
        gen.forRange("i", 0, _`${data}.length`, (index) => {
          const fits = gen.name("fits");
          const item = { keyword: "contains", dataProp: index, dataPropType: Type.Num } as const;
          context.subschema({ ...item, compositeRule: true }, fits);
          gen.if(fits, () => gen.code(_`${count}++`).assign(_`${marks}[${index}]`, true));
        }),
      );
      it.props = it.props === true ? marks : mergeEvaluated.props(gen, marks, it.props);
      const isBetween = _`${count} >= ${least}${most === undefined ? nil : _` && ${count} <= ${most}`}`;
      context.result(_`!${isList} || ${isBetween}`, () => context.reset());
    },
  });
  ajv.removeKeyword("if").addKeyword({
    keyword: "if",
    schemaType: ["object", "boolean"],
    trackErrors: true,
    error: { message: ({ params: { clause } }) => str`must match "${clause}" schema` },
    code(context) {
      const { gen, parentSchema } = context;
      const valid = gen.let("valid", true);
      const fits = gen.name("_valid");
      const condition = {
        keyword: "if",
        compositeRule: true,
        createErrors: false,
        allErrors: false,
      } as const;
      context.mergeValidEvaluated(context.subschema(condition, fits), fits);
      context.reset();
      const clause = gen.let("clause");
      context.setParams({ clause });
      const follow = (keyword: "then" | "else") => () => {
        if (parentSchema[keyword] === undefined) return;
        const inner = gen.name("_valid");
        const clauseContext = context.subschema({ keyword }, inner);
        gen.assign(valid, inner);
        context.mergeValidEvaluated(clauseContext, valid);
        gen.assign(clause, _`${keyword}`);
      };
      gen.if(fits, follow("then"), follow("else"));
      context.pass(valid, () => context.error(true));
    },
  });
  const patterns = ajv.getKeyword("patternProperties");
  if (typeof patterns !== "object" || !("code" in patterns)) return;
  ajv.removeKeyword("patternProperties").addKeyword({
    keyword: "patternProperties",
    type: "object",
    schemaType: "object",
    before: "unevaluatedProperties",
    code(context) {
      const { gen, it } = context;
      const earlier = it.props;
      // ajv would write to the names of an alternative, which are undefined or true after some of them.
      if (earlier !== true) delete it.props;
      patterns.code(context as KeywordCxt);
      if (earlier === undefined || earlier === true) return;
      it.props = it.props === undefined ? earlier : mergeEvaluated.props(gen, it.props, earlier);
    },
  });
}
