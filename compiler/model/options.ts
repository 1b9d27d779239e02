// Reads the options of components, and of blocks inside them, by the schemas that declare them: what the document
// writes, and the default of the schema otherwise.

import { parseDuration } from "../../schemas/duration.ts";
import type { OptionName } from "../../schemas/generated/option-names.ts";
import type { Schema } from "../../schemas/schema.ts";
import type { Span } from "../source/source.ts";
import type { ComponentNode, FieldNode, LiteralField, MappingField, QueryField } from "../trees/api.ts";
import { findNamedField, type NamedField, nestedComponents } from "../trees/fields.ts";

/** A value whose schema declares options: the configuration of a component, or an object inside one. */
export interface OptionBlock {
  readonly value: FieldNode | undefined;
  readonly schema: Schema;
}

/** A block that the document contains. */
export interface GivenBlock extends OptionBlock {
  readonly value: FieldNode;
}

/** A block under a name that the document chooses. */
export interface OptionMember extends GivenBlock {
  readonly name: string;
}

/** One option of a block. */
export class Option implements OptionBlock {
  readonly name: string;
  readonly schema: Schema;
  /** The option as written; `undefined` if the document leaves it out or its value could not be read. */
  readonly written: NamedField | undefined;

  constructor(name: string, schema: Schema, written: NamedField | undefined) {
    this.name = name;
    this.schema = schema;
    this.written = written;
  }

  get value(): FieldNode | undefined {
    return this.written?.value;
  }

  get nameSpan(): Span | undefined {
    return this.written?.nameSpan;
  }

  /** Whether the document gives it a value other than an empty text. A value from the environment counts. */
  get isGiven(): boolean {
    return this.value !== undefined && !(isLiteral(this.value) && this.value.value === "");
  }

  /** The value, by default that of the schema; `undefined` if there is none, or if it is known only at startup. */
  get known(): unknown {
    if (this.written === undefined) return this.schema.default;
    const { value } = this.written;
    return value.kind === "Duration" ? value.milliseconds : isLiteral(value) ? value.value : undefined;
  }

  get text(): string | undefined {
    const { known } = this;
    return typeof known === "string" ? known : undefined;
  }

  get number(): number | undefined {
    const { known } = this;
    return typeof known === "number" ? known : undefined;
  }

  get isTrue(): boolean {
    return this.known === true;
  }

  /** Whether the document writes `false`, whatever the default is. */
  get isSwitchedOff(): boolean {
    return this.written !== undefined && this.known === false;
  }

  /** The milliseconds of a duration, or a number. */
  get milliseconds(): number | undefined {
    const { known } = this;
    return typeof known === "string" ? parseDuration(known) : this.number;
  }

  /** The option as if the document did not contain it. */
  get standard(): Option {
    return new Option(this.name, this.schema, undefined);
  }

  get query(): QueryField | undefined {
    return this.value?.kind === "Query" ? this.value : undefined;
  }

  get mapping(): MappingField | undefined {
    return this.value?.kind === "Mapping" ? this.value : undefined;
  }

  /** The components directly inside the value. */
  get components(): readonly ComponentNode[] {
    return this.value === undefined ? [] : nestedComponents(this.value);
  }

  /** The fields of an object, such as headers. */
  get fields(): readonly NamedField[] {
    return this.value?.kind === "Object" ? this.value.fields : [];
  }

  /** The members of an object that have the same schema, by name. */
  get members(): readonly OptionMember[] {
    const { additionalProperties: schema } = this.schema;
    return typeof schema === "object" ? this.fields.map(({ name, value }) => ({ name, value, schema })) : [];
  }

  /** The items of a list. */
  get items(): readonly FieldNode[] {
    return this.value?.kind === "List" ? this.value.items : [];
  }

  /** The items of a list, or a single value as the only item. */
  get each(): readonly FieldNode[] {
    return this.value === undefined || this.value.kind === "List" ? this.items : [this.value];
  }

  /** The items of a list of objects. */
  get blocks(): readonly GivenBlock[] {
    return this.items.map((value) => ({ value, schema: this.schema.items ?? {} }));
  }
}

function isLiteral(value: FieldNode): value is LiteralField {
  return value.kind === "Literal";
}

/** Options by name. Those after the first type parameter exist only if the schema declares them. */
export type NamedOptions<N extends OptionName, M extends OptionName = never> = {
  readonly [name in N]: Option;
} & { readonly [name in M]?: Option };

/**
 * Returns a reader of options: `undefined` for a block whose schema does not declare all of `names`, so that a rule
 * about an option applies to the components that have it. The reader adds those of `others` that the schema declares.
 */
export function optionsNamed<const N extends OptionName, const M extends OptionName = never>(
  names: readonly N[],
  others: readonly M[] = [],
): (owner: ComponentNode | OptionBlock) => NamedOptions<N, M> | undefined {
  /** The schemas of these options by the schema that declares them: rules read most components of a set. */
  const known = new WeakMap<Schema, DeclaredOptions>();
  return (owner) => {
    const { schema, value } = blockOf(owner);
    const declared = known.get(schema) ?? findDeclared(schema, names, others);
    known.set(schema, declared);
    if (declared === "incomplete") return undefined;
    const options: Partial<Record<OptionName, Option>> = {};
    for (const [name, own] of declared) options[name] = new Option(name, own, findNamedField(value, name));
    // Each of `names` is declared.
    return options as NamedOptions<N, M>;
  };
}

type DeclaredOptions = readonly (readonly [name: OptionName, schema: Schema])[] | "incomplete";

/** Returns the options that a schema declares; `incomplete` if one of `names` is missing. */
function findDeclared(
  { properties = {} }: Schema,
  names: readonly OptionName[],
  others: readonly OptionName[],
): DeclaredOptions {
  if (!names.every((name) => Object.hasOwn(properties, name))) return "incomplete";
  return [...names, ...others].flatMap((name) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return schema === undefined ? [] : [[name, schema] as const];
  });
}

const noSchema: Schema = {};

function blockOf(owner: ComponentNode | OptionBlock): OptionBlock {
  return "config" in owner ? { value: owner.config, schema: owner.descriptor?.schema ?? noSchema } : owner;
}

/** Returns the option with a name that a descriptor contains; `undefined` if the schema does not declare it. */
export function declaredOption(owner: ComponentNode | OptionBlock, name: string): Option | undefined {
  const { value, schema } = blockOf(owner);
  const { properties = {} } = schema;
  const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return own && new Option(name, own, findNamedField(value, name));
}

/** Returns the block of an input that configures replies to its requests; `undefined` if it has none. */
export function repliesOf(input: ComponentNode): Option | undefined {
  const { properties = {} } = input.descriptor?.schema ?? {};
  const name = Object.keys(properties).find((each) => properties[each]?.["x-replies"] === true);
  return name === undefined ? undefined : declaredOption(input, name);
}

const switchOptions = optionsNamed(["enabled"]);

/** Returns the switch of a block; `undefined` if its schema declares none. */
export function enabledOf(block: OptionBlock): Option | undefined {
  return switchOptions(block)?.enabled;
}
