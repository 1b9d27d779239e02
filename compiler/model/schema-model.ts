// Reads JSON Schemas of documents by their keywords. References stay as written; `References` resolves them.

import type { Span } from "../source/source.ts";
import {
  type DocumentNode,
  findEntry,
  findNode,
  findText,
  type MapEntry,
  type MapNode,
  type ScalarNode,
} from "../trees/document.ts";
import { booleanOf, entriesOf, itemsOf, textOf, type WrittenText } from "./written.ts";

/** The keywords that combine schemas. */
export type Composition = "allOf" | "anyOf" | "oneOf";

/** `discriminator` of OpenAPI. */
export interface Discriminator {
  readonly node: MapNode;
  readonly keySpan: Span;
  readonly propertyName: WrittenText | undefined;
  /** The entries of `mapping`: values of the property, with the schemas that they stand for. */
  readonly mapping: readonly MapEntry[];
}

const conditions = ["if", "dependentSchemas", "$dynamicRef", "$recursiveRef", "patternProperties"];

/** The keywords of one schema, which may also be `true`, `false` or no schema at all. */
export class SchemaModel {
  readonly node: DocumentNode | undefined;

  constructor(node: DocumentNode | undefined) {
    this.node = node;
  }

  get reference(): WrittenText | undefined {
    return this.#text("$ref");
  }

  get dynamicReference(): WrittenText | undefined {
    return this.#text("$dynamicRef");
  }

  /** `$recursiveRef` of JSON Schema 2019-09. */
  get recursiveReference(): WrittenText | undefined {
    return this.#text("$recursiveRef");
  }

  /** `$schema` */
  get dialect(): WrittenText | undefined {
    return this.#text("$schema");
  }

  /** Whether it names a dialect, even one that is no text. */
  get hasDialect(): boolean {
    return this.#has("$schema");
  }

  get id(): WrittenText | undefined {
    return this.#text("$id");
  }

  get format(): WrittenText | undefined {
    return this.#text("format");
  }

  get pattern(): WrittenText | undefined {
    return this.#text("pattern");
  }

  /** The only allowed value, if it is a text. */
  get only(): string | undefined {
    return this.#text("const")?.text;
  }

  /** The value of `type`. */
  get type(): DocumentNode | undefined {
    return findNode(this.node, "type");
  }

  /** The names in `type`, which is one or a list of them; `""` for anything else in it. */
  get types(): readonly string[] {
    const { type } = this;
    return (type?.kind === "list" ? type.items : [type]).map((each) => findText(each) ?? "");
  }

  /** `nullable: true` of OpenAPI 3.0. */
  get nullable(): MapEntry | undefined {
    const entry = findEntry(this.node, "nullable");
    return booleanOf(entry?.value) === true ? entry : undefined;
  }

  get properties(): readonly MapEntry[] {
    return entriesOf(findNode(this.node, "properties"));
  }

  property(name: string): DocumentNode | undefined {
    return findNode(this.node, "properties", name);
  }

  get patternProperties(): readonly MapEntry[] {
    return entriesOf(findNode(this.node, "patternProperties"));
  }

  /** Whether it allows only the names in `properties`. */
  get isClosed(): boolean {
    return this.refusesOthers && this.#has("properties") && !this.#has("patternProperties");
  }

  /** Whether it may declare properties in ways that only a value decides, or another schema that is not known. */
  get isConditional(): boolean {
    return conditions.some((keyword) => this.#has(keyword));
  }

  /** Whether it declares properties itself, even none. */
  get hasProperties(): boolean {
    return this.#has("properties");
  }

  /** Whether it contains `additionalProperties: false`. */
  get refusesOthers(): boolean {
    return booleanOf(findNode(this.node, "additionalProperties")) === false;
  }

  get required(): readonly DocumentNode[] {
    return itemsOf(findNode(this.node, "required"));
  }

  /** The value of `enum`. */
  get enum(): DocumentNode | undefined {
    return findNode(this.node, "enum");
  }

  /** The items of `enum`. */
  get choices(): readonly DocumentNode[] {
    return itemsOf(this.enum);
  }

  get items(): DocumentNode | undefined {
    return findNode(this.node, "items");
  }

  /** The schema of the content of texts. */
  get contentSchema(): DocumentNode | undefined {
    return findNode(this.node, "contentSchema");
  }

  get default(): DocumentNode | undefined {
    return findNode(this.node, "default");
  }

  get example(): DocumentNode | undefined {
    return findNode(this.node, "example");
  }

  get examples(): DocumentNode | undefined {
    return findNode(this.node, "examples");
  }

  /** The flags of OpenAPI 3.0 beside bounds, which are numbers of their own since OpenAPI 3.1. */
  get exclusiveFlags(): readonly MapEntry[] {
    return ["exclusiveMinimum", "exclusiveMaximum"].flatMap((keyword) => {
      const entry = findEntry(this.node, keyword);
      return entry !== undefined && booleanOf(entry.value) !== undefined ? [entry] : [];
    });
  }

  /** Whether only requests or only responses have it as a property. */
  get isOneWay(): boolean {
    return this.#isFlagged("readOnly") || this.#isFlagged("writeOnly");
  }

  get discriminator(): Discriminator | undefined {
    const entry = findEntry(this.node, "discriminator");
    if (entry?.value.kind !== "map") return undefined;
    const { keySpan, value: node } = entry;
    const propertyName = textOf(findNode(node, "propertyName"));
    return { node, keySpan, propertyName, mapping: entriesOf(findNode(node, "mapping")) };
  }

  /** Returns the schemas that a composition lists. */
  parts(composition: Composition): readonly DocumentNode[] {
    return itemsOf(findNode(this.node, composition));
  }

  /** The schemas among which a value chooses: those of `oneOf`, otherwise of `anyOf`. */
  get variants(): { readonly keyword: Composition; readonly schemas: readonly DocumentNode[] } | undefined {
    for (const keyword of ["oneOf", "anyOf"] as const) {
      const list = findNode(this.node, keyword);
      if (list?.kind === "list") return { keyword, schemas: list.items };
    }
    return undefined;
  }

  /** Returns the keyword for a bound that excludes a value; `undefined` if none does. */
  boundExceededBy(value: ScalarNode["value"]): string | undefined {
    const amount = typeof value === "string" ? [...value].length : Number(value);
    const [least, most] = typeof value === "string" ? ["minLength", "maxLength"] : ["minimum", "maximum"];
    const [low, high] = [this.#limit(least), this.#limit(most)];
    if (typeof value === "boolean" || value === null) return undefined;
    // Bounds that exclude every value are reported.
    if (low !== undefined && high !== undefined && low > high) return undefined;
    if (low !== undefined && amount < low) return least;
    if (high !== undefined && amount > high) return most;
    if (typeof value === "string") return undefined;
    const [above, below] = [this.#limit("exclusiveMinimum"), this.#limit("exclusiveMaximum")];
    if ((above !== undefined && amount <= above) || (amount === low && this.#isFlagged("exclusiveMinimum")))
      return "exclusiveMinimum";
    const isBelow =
      (below !== undefined && amount >= below) || (amount === high && this.#isFlagged("exclusiveMaximum"));
    return isBelow ? "exclusiveMaximum" : undefined;
  }

  #has(keyword: string): boolean {
    return findEntry(this.node, keyword) !== undefined;
  }

  #text(keyword: string): WrittenText | undefined {
    return textOf(findNode(this.node, keyword));
  }

  #isFlagged(keyword: string): boolean {
    return booleanOf(findNode(this.node, keyword)) === true;
  }

  #limit(keyword: string): number | undefined {
    const limit = findNode(this.node, keyword);
    if (limit?.kind !== "scalar") return undefined;
    return typeof limit.value === "number" || typeof limit.value === "bigint"
      ? Number(limit.value)
      : undefined;
  }
}

/** Whether a node refers to another one, even by a value that is no text. */
export function isReference(node: DocumentNode): boolean {
  return findEntry(node, "$ref") !== undefined;
}
