// What a program can be asked over HTTP, as values: the router, the validation and the description are made of them.

/** Who asks. */
export interface RestCaller {
  /** Whose records it may see. */
  readonly organisation: string;
  /** What its key, or the person who has signed in, is called. */
  readonly name?: string;
  /** Whose the key is in the store, or the issuer and the subject of a person; absent for keys of the environment. */
  readonly id?: string;
  /** What its key may do, where keys differ in that. */
  readonly permissions?: ReadonlySet<string>;
  /** What its key may do with some APIs only, beside `permissions`. */
  readonly grants?: readonly ApiGrant[];
  /** The developer who has logged in, where no token is asked for. */
  readonly developer?: string;
  /** Whether the client is reached by TLS, where that matters. */
  readonly isSecure?: boolean;
  /** Where it asks from, where that matters. */
  readonly address?: string;
}

/** What a key may do with the APIs that a pattern chooses. */
export interface ApiGrant {
  /** An id, or a name, in which `*` stands for any text. */
  readonly api: string;
  /** What the pattern is compared with; the id by default. */
  readonly by?: "id" | "name";
  readonly permissions: readonly string[];
}

/** A request that has been let in, and whose parameters and body have been found right. */
export interface OperationRequest<B = unknown> {
  /** Whose records it may see. */
  readonly organisation: string;
  readonly caller: RestCaller;
  /** A header by its name in lower case; the first of several. */
  header(name: string): string | undefined;
  /** The part of its path that stands for `{name}`; empty where there is no such part. */
  param(name: string): string;
  /** Query parameters that are there, as their schema types them. */
  readonly query: ReadonlyMap<string, string | number | boolean>;
  /** As its schema types it, without fields that are not in there, and without those of the server's. */
  readonly body: B;
  /** The body as it was sent, of operations that take a text. */
  readonly text: string;
  /** Aborted when the client has gone. */
  signal(): AbortSignal;
}

/** A parameter of the query. */
export interface RestParameter {
  readonly name: string;
  readonly description: string;
  readonly schema: {
    readonly type: "integer" | "boolean" | "string";
    readonly minimum?: number;
    readonly maximum?: number;
    readonly default?: number | string;
    /** The only texts there are. */
    readonly enum?: readonly string[];
  };
}

/** What a body holds. */
export interface Body<B> {
  readonly record: RecordSchema<B>;
  /** An empty body is taken for an object without fields, which is not looked at. */
  readonly isOptional?: boolean;
  /**
   * It carries a document or a list of messages, which outgrow the limit for records: it is read up to the
   * `maxLargeBodyBytes` of the router in place of its `maxBodyBytes`.
   */
  readonly isLarge?: boolean;
}

/** A body that is taken as the text it is. */
export interface TextBody {
  readonly description: string;
  /** Media types in lower case, the preferred one first. */
  readonly types: readonly string[];
}

/** What an operation answers where nothing is wrong, with status 200. */
export type AnswerShape =
  | { readonly kind: "written"; readonly message: string }
  | { readonly kind: "record"; readonly record: RecordSchema }
  | { readonly kind: "list"; readonly record: RecordSchema }
  /** A JSON Schema of its own; media types where they are others than JSON. */
  | {
      readonly kind: "other";
      readonly description: string;
      readonly schema: object;
      readonly types?: readonly string[];
    };

/** What is said of an operation whose body is `B`. */
export interface OperationOf<B, S> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** A method that is taken for the same, and that no description of OpenAPI 3.1 has a place for. */
  readonly alias?: "UPDATE";
  /** Below the path of its router: `/requests/{id}`. */
  readonly path: string;
  /** Unique: `listRequests`. */
  readonly operationId: string;
  readonly tag: string;
  /** One sentence. */
  readonly summary: string;
  readonly parameters?: readonly RestParameter[];
  readonly body?: Body<B>;
  /** In place of `body`. */
  readonly text?: TextBody;
  readonly answer: AnswerShape;
  /** A client that has the answer already, by `If-None-Match`, gets 304. */
  readonly isTagged?: boolean;
  /** Statuses of its refusals, but for those that every operation has (`commonStatuses`). */
  readonly refusals?: readonly number[];
  /** Gives the JSON of the answer, or an `Answer`; rejects with a `refusal`. */
  run(request: OperationRequest<B>, services: S): Promise<object>;
}

/** An operation, whatever its body. */
export type RestOperation<S> = OperationOf<unknown, S>;

/** Makes an operation of what is said of it. */
export function operation<B, S>(description: OperationOf<B, S>): RestOperation<S> {
  return {
    ...description,
    // Only bodies that its schema has let through come here.
    run: (request, services) => description.run(request as OperationRequest<B>, services),
  };
}

/** The envelope of writes that answer with more than `Message`: the schema of `Meta`, and of the fields beside it. */
export function writtenShape(
  description: string,
  meta: object,
  beside: Readonly<Record<string, object>> = {},
): AnswerShape {
  return {
    kind: "other",
    description,
    schema: {
      type: "object",
      required: ["Status", "Message", "Meta"],
      properties: { Status: { const: "OK" }, Message: { type: "string" }, Meta: meta, ...beside },
    },
  };
}

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
