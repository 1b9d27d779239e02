/** A schema, JSON Schema 2020-12, that tells what a record of the portal is. */
export interface RecordSchema<T = unknown> {
  /** Names it in the description of the interface: `KeyRequest`. */
  readonly name: string;
  readonly schema: ObjectSchema;
  /** Never there: it ties the schema to its type. */
  readonly of?: T;
}

/** The schema of an object whose fields are known. */
export interface ObjectSchema {
  readonly [keyword: string]: unknown;
  /** What it is called among people: `Key request`. */
  readonly title: string;
  readonly type: "object";
}
