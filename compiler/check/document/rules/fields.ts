// Rules about fields that require or exclude sibling fields.

import type { Schema } from "../../../../schemas/schema.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { hasUnread, isMeant } from "../../../model/components.ts";
import { declaredOption, enabledOf, type Option, optionsNamed } from "../../../model/options.ts";
import type { Span } from "../../../source/source.ts";
import type { ComponentNode, FieldNode, ObjectField } from "../../../trees/api.ts";
import { findNamedField, literalText, type NamedField } from "../../../trees/fields.ts";
import type { ArrayLiteral } from "../../../trees/mapping.ts";
import type { SchemedValue } from "../values.ts";

/** Reports fields that an object lacks and that its other fields need to have an effect. */
export function checkNeededFields({ name, nameSpan, value, schema }: SchemedValue, report: Report): void {
  if (value.kind !== "Object" || isOff(value, schema)) return;
  for (const field of value.fields) checkNeeds(field, value, schema, report);
  const choice = schema["x-one-of"] ?? [];
  const isMeantHere = (other: string) => isMeant(value, other, schema);
  // An unknown sibling key was probably meant as one of the choice.
  const mayBeMeant = value.unread?.some((key) => !Object.hasOwn(schema.properties ?? {}, key)) === true;
  if (
    choice.length > 0 &&
    !mayBeMeant &&
    !value.fields.some(
      (field) => isThere(field) && needsOf(field, schema).some((other) => choice.includes(other)),
    ) &&
    !choice.some((other) => isThere(findNamedField(value, other)) || isMeantHere(other))
  ) {
    report("GW4171", nameSpan, { owner: name, fields: choice });
  }
  const isSwitched =
    schema["x-switched"] === true &&
    schema["x-protection"] === undefined &&
    enabledOf({ value, schema })?.value === undefined;
  const [first] = value.fields;
  if (isSwitched && !mayBeMeant && first !== undefined)
    report("GW4172", nameSpan, { block: name, first: first.nameSpan });
}

/** Whether the block has `enabled: false`: it has no effect, so it needs nothing. */
function isOff(block: ObjectField, schema: Schema): boolean {
  const enabled = enabledOf({ value: block, schema });
  return enabled?.schema.type === "boolean" && enabled.isSwitchedOff;
}

function checkNeeds(field: NamedField, owner: ObjectField, schema: Schema, report: Report): void {
  const isMeantHere = (other: string) => isMeant(owner, other, schema);
  const missing = needsOf(field, schema).filter(
    (other) => !isThere(findNamedField(owner, other)) && !isMeantHere(other),
  );
  if (missing.length > 0 && isThere(field)) report("GW4170", field.nameSpan, { field: field.name, missing });
}

function needsOf({ name }: NamedField, { properties = {} }: Schema): readonly string[] {
  return properties[name]?.["x-needs"] ?? [];
}

/** Whether the field has an effect: an empty text counts as absent, and `false` requests nothing. */
function isThere(field: NamedField | undefined): boolean {
  if (field === undefined) return false;
  return !(field.value.kind === "Literal" && (field.value.value === "" || field.value.value === false));
}

const statementOptions = optionsNamed(["args_mapping"], ["driver", "query", "where", "prefix", "suffix"]);
type StatementOptions = NonNullable<ReturnType<typeof statementOptions>>;

/** Reports a statement with a wrong number of placeholders for `args_mapping`, or with those of another driver. */
export function checkStatement(component: ComponentNode, report: Report): void {
  const options = statementOptions(component);
  if (options === undefined) return;
  const query = options.query?.value;
  const mapping = options.args_mapping.value;
  const array = mapping && writtenValues(mapping);
  if (mapping !== undefined && array === undefined) return;
  const given = array?.elements.length ?? 0;
  const driver = options.driver?.text;
  const counted =
    query === undefined ? conditionPlaceholders(options) : queryPlaceholders(query, driver === "postgres");
  if (counted === undefined || driver === undefined || counted.placeholders === given) return;
  const isForeign = counted.placeholders === 0 && given > 0 && counted.others > 0;
  const counts = { ...counted, values: given, driver, isForeign };
  if (isForeign || array === undefined) report("GW4134", counted.span, counts);
  else report("GW4134", array.span, counts, { span: counted.span, message: "The statement is here." });
}

/** The placeholders of an SQL text. */
interface Placeholders {
  readonly span: Span;
  readonly placeholders: number;
  /** The number of placeholders in the notation of other drivers. */
  readonly others: number;
  readonly isNumbered: boolean;
}

/** Returns the placeholders of a query, whose text goes to the database unchanged. */
function queryPlaceholders(query: FieldNode, isNumbered: boolean): Placeholders | undefined {
  const statement = literalText(query);
  if (statement === undefined) return undefined;
  const { numbered, unnumbered } = placeholdersOf(statement);
  const [placeholders, others = 1] = isNumbered ? [numbered, unnumbered] : [unnumbered, numbered];
  return placeholders === undefined ? undefined : { span: query.span, placeholders, others, isNumbered };
}

/**
 * Returns the placeholders of a condition, in which each `?` becomes one. Text around it may contain placeholders too.
 */
function conditionPlaceholders({
  where: condition,
  prefix,
  suffix,
}: StatementOptions): Placeholders | undefined {
  const where = condition?.value;
  const around = [prefix, suffix].some((option) => /[?$]/.test(textOf(option?.value)));
  const statement = literalText(where);
  if (where === undefined || statement === undefined || around || statement.includes("??")) return undefined;
  const { numbered, unnumbered } = placeholdersOf(statement);
  if (unnumbered === undefined) return undefined;
  return {
    span: where.span,
    placeholders: unnumbered === 0 ? numbered : unnumbered,
    others: 0,
    isNumbered: false,
  };
}

/** Returns the text of a field: its value if that is known, otherwise as it is written. */
function textOf(field: FieldNode | undefined): string {
  if (field === undefined) return "";
  return literalText(field) ?? field.span.source.text.slice(field.span.start, field.span.end);
}

/**
 * Counts the values that a statement needs: up to the highest `$2`, or one for each `?`; `undefined` for named ones.
 */
function placeholdersOf(statement: string) {
  const code = statement.replace(quoted, " ");
  let numbered = 0;
  for (const [, number] of code.matchAll(/\$(\d+)/g)) numbered = Math.max(numbered, Number(number));
  const isNamed = /[:@$][A-Za-z_]\w*|\?\d/.test(code.replaceAll("::", " "));
  return {
    numbered,
    unnumbered: isNamed ? undefined : code.split("?").length - 1,
  };
}

/** Strings, quoted names and comments of SQL; one without an end extends to the end of the text. */
const quoted =
  /'[^']*(?:'|$)|"[^"]*(?:"|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\$((?:[A-Za-z_]\w*)?)\$[\s\S]*?(?:\$\1\$|$)/g;

const sqlOptions = optionsNamed(["driver"], ["query", "where", "columns"]);

/** Reports SQL that the database certainly refuses: keywords that are added to it, and operators that it lacks. */
export function checkSql(component: ComponentNode, report: Report): void {
  const options = sqlOptions(component);
  if (options === undefined) return;
  const driver = options.driver.text;
  const advise = (span: Span, message: string, hint: string) =>
    report("GW4413", span, { component: component.name, message, hint });
  for (const field of ["query", "where"] as const) {
    const text = options[field]?.value;
    const code = literalText(text)?.replace(quoted, " ");
    if (text === undefined || code === undefined) continue;
    if (field === "where" && /^\s*where\b/i.test(code))
      advise(text.span, "`where` already stands for the keyword.", "Write the condition without `WHERE`.");
    else if (driver === "postgres" && /[\w)\s]==[\s\w$?(]/.test(code))
      advise(text.span, `PostgreSQL has no operator \`==\`.`, "Compare with `=`.");
  }
  // Selected columns may repeat.
  const columns = writesColumns(component) ? options.columns : undefined;
  const seen = new Map<string, Span>();
  for (const item of columns?.items ?? []) {
    const column = literalText(item);
    const span = column === undefined ? undefined : seen.get(column);
    if (column === undefined) continue;
    if (span === undefined) seen.set(column, item.span);
    else {
      const details = {
        what: `\`columns\` lists \`${column}\``,
        effect: "the database refuses the statement",
      };
      report("GW4293", item.span, details, { span, message: "The other one is here." });
    }
  }
}

/** Returns the values of a mapping that writes them as one array literal; `undefined` if they are not known. */
function writtenValues(field: FieldNode): ArrayLiteral | undefined {
  if (field.kind !== "Mapping" || field.mapping.statements.length !== 1) return undefined;
  const [statement] = field.mapping.statements;
  if (statement?.kind !== "Assign" || statement.target.length > 0) return undefined;
  return statement.value.kind === "ArrayLiteral" ? statement.value : undefined;
}

const columnOptions = optionsNamed(["columns", "args_mapping"]);

/** Reports a list of columns and a list of values with different lengths. */
export function checkColumns(component: ComponentNode, report: Report): void {
  const options = writesColumns(component) ? columnOptions(component) : undefined;
  const columns = options?.columns.value;
  const mapping = options?.args_mapping.value;
  const values = mapping && writtenValues(mapping);
  if (columns?.kind !== "List" || values === undefined) return;
  if (values.elements.length === columns.items.length) return;
  const counts = { columns: columns.items.length, values: values.elements.length };
  report("GW4129", values.span, counts, { span: columns.span, message: "The columns are here." });
}

/** Whether the values are those of columns. In a component that reads columns, they belong to conditions. */
function writesColumns({ descriptor }: ComponentNode): boolean {
  return descriptor?.schema.required?.includes("args_mapping") === true;
}

const cacheOptions = optionsNamed(["operator", "value"]);

/** Reports the cache operator `set` without a value. `add` can work with the key alone. */
export function checkKeptValue(component: ComponentNode, report: Report): void {
  if (hasUnread(component.config)) return;
  const { operator, value } = cacheOptions(component) ?? {};
  if (operator?.value === undefined || operator.text !== "set" || value?.value !== undefined) return;
  report("GW4131", operator.value.span, {});
}

/** Whether two numbers are in the order that a diagnostic requires. */
const orders = {
  GW4084: (small: number, large: number) => small <= large,
  GW4085: (small: number, large: number) => small < large,
} as const;

/** Reports each pair of fields of one object whose values are in the wrong order, or where one has no effect. */
export function checkNeighbours({ value, schema }: SchemedValue, report: Report): void {
  if (value.kind !== "Object") return;
  const block = { value, schema };
  for (const [name, own] of pairedIn(schema)) {
    const most = own["x-at-most"];
    const less = own["x-less-than"];
    for (const other of [most ?? []].flat()) checkPair(block, name, other, "GW4084", report);
    if (less !== undefined) checkPair(block, name, less, "GW4085", report);
    for (const other of own["x-instead-of"] ?? []) checkVoid(value, name, other, report);
  }
}

/** Cache by schema: a schema of a component may have a hundred fields, of which few are paired. */
const paired = new WeakMap<Schema, readonly (readonly [name: string, field: Schema])[]>();

/** Returns the fields of a schema whose values are compared with those of other fields. */
function pairedIn(schema: Schema): readonly (readonly [name: string, field: Schema])[] {
  const found =
    paired.get(schema) ??
    Object.entries(schema.properties ?? {}).filter(
      ([, own]) =>
        own["x-at-most"] !== undefined ||
        own["x-less-than"] !== undefined ||
        own["x-instead-of"] !== undefined,
    );
  paired.set(schema, found);
  return found;
}

function checkVoid(owner: ObjectField, field: string, other: string, report: Report): void {
  const written = findNamedField(owner, other);
  if (written !== undefined && findNamedField(owner, field) !== undefined)
    report("GW4194", written.nameSpan, { field: other, instead: field });
}

/** Reports at the smaller field if it is written, otherwise at the other one. */
function checkPair(
  block: { readonly value: ObjectField; readonly schema: Schema },
  field: string,
  other: string,
  code: keyof typeof orders,
  report: Report,
): void {
  const [small, large] = [declaredOption(block, field), declaredOption(block, other)];
  const span = small?.value?.span ?? large?.value?.span;
  const [least, most] = [small?.milliseconds, large?.milliseconds];
  if (span === undefined || least === undefined || most === undefined) return;
  // A limit that is 0 by default is none at 0.
  if (most === 0 && large?.standard?.milliseconds === 0) return;
  if (orders[code](least, most)) return;
  report(code, span, { field, other, value: shown(small), limit: shown(large) });
}

/** Returns an option as it is written, or its default. */
function shown(option: Option | undefined): string {
  if (option?.value === undefined) return String(option?.schema.default);
  const { source, start, end } = option.value.span;
  return source.text.slice(start, end);
}
