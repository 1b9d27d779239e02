// Operations of an HTTP API, as values from which the routes, the validation and the description are derived.

/** The caller of an operation. */
export interface RestCaller {
  /** The organisation whose records the caller may access. */
  readonly organisation: string;
  /** The name of the key, or of the person who has signed in. */
  readonly name?: string;
  /** The id of the key's user, or the issuer and subject of a person; absent for keys of the environment. */
  readonly id?: string;
  /** The permissions of the key, if keys differ in their permissions. */
  readonly permissions?: ReadonlySet<string>;
  /** Permissions of the key for certain APIs only, in addition to `permissions`. */
  readonly grants?: readonly ApiGrant[];
  /** The id of the logged-in developer, if the request has a session instead of a token. */
  readonly developer?: string;
  /** Whether the client uses TLS, if that matters. */
  readonly isSecure?: boolean;
  /** The address of the client, if that matters. */
  readonly address?: string;
}

/** Permissions for the APIs that match a pattern. */
export interface ApiGrant {
  /** An id or a name, in which `*` stands for any text. */
  readonly api: string;
  /** The property that the pattern is compared with; the id by default. */
  readonly by?: "id" | "name";
  readonly permissions: readonly string[];
}

/** An authorised request with valid parameters and a valid body. */
export interface OperationRequest<B = unknown> {
  /** The organisation whose records the caller may access. */
  readonly organisation: string;
  readonly caller: RestCaller;
  /** Returns the first header with this lower-case name. */
  header(name: string): string | undefined;
  /** Returns the decoded path segment in place of `{name}`; empty if there is none. */
  param(name: string): string;
  /** The given query parameters, with the types of their schemas. */
  readonly query: ReadonlyMap<string, string | number | boolean>;
  /** The body with the types of its schema, without unknown and read-only fields. */
  readonly body: B;
  /** The unparsed body, for operations that accept a text. */
  readonly text: string;
  /** Returns a signal that is aborted when the client disconnects. */
  signal(): AbortSignal;
}

/** A query parameter. */
export interface RestParameter {
  readonly name: string;
  readonly description: string;
  readonly schema: {
    readonly type: "integer" | "boolean" | "string";
    readonly minimum?: number;
    readonly maximum?: number;
    readonly default?: number | string;
    /** The accepted texts. */
    readonly enum?: readonly string[];
  };
}

/** The request body of an operation. */
export interface Body<B> {
  readonly record: RecordSchema<B>;
  /** Whether an empty body is accepted as an object without fields, which is not validated. */
  readonly isOptional?: boolean;
  /**
   * Whether the body contains a document or a list of messages and may exceed the limit for records: it is limited by
   * `maxLargeBodyBytes` of the router instead of `maxBodyBytes`.
   */
  readonly isLarge?: boolean;
}

/** A body that is accepted as text. */
export interface TextBody {
  readonly description: string;
  /** Media types in lower case, the preferred one first. */
  readonly types: readonly string[];
}

/** The shape of the response with status 200. */
export type AnswerShape =
  | { readonly kind: "written"; readonly message: string }
  | { readonly kind: "record"; readonly record: RecordSchema }
  | { readonly kind: "list"; readonly record: RecordSchema }
  /** A custom JSON Schema, with its media types if it is not JSON. */
  | {
      readonly kind: "other";
      readonly description: string;
      readonly schema: object;
      readonly types?: readonly string[];
    };

/** The description of an operation with a body of type `B`. */
export interface OperationOf<B, S> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Another method for the same operation, which OpenAPI 3.1 descriptions cannot express. */
  readonly alias?: "UPDATE";
  /** The path below that of the router, such as `/requests/{id}`. */
  readonly path: string;
  /** A unique name, such as `listRequests`. */
  readonly operationId: string;
  readonly tag: string;
  /** One sentence. */
  readonly summary: string;
  readonly parameters?: readonly RestParameter[];
  readonly body?: Body<B>;
  /** A text body, as an alternative to `body`. */
  readonly text?: TextBody;
  readonly answer: AnswerShape;
  /** Whether clients that already have the response get 304, by `If-None-Match`. */
  readonly isTagged?: boolean;
  /** A field of the record that changes without requests, and that `If-Match` does not compare. */
  readonly volatile?: string;
  /** Its error statuses, except those of every operation (`commonStatuses`). */
  readonly refusals?: readonly number[];
  /** Returns the JSON of the response, or a `RestAnswer`. Rejects with a `refusal`. */
  run(request: OperationRequest<B>, services: S): Promise<object>;
}

/** An operation with any body. */
export type RestOperation<S> = OperationOf<unknown, S>;

/** Creates an operation from its description. */
export function operation<B, S>(description: OperationOf<B, S>): RestOperation<S> {
  return {
    ...description,
    // The body has been validated against the schema.
    run: (request, services) => description.run(request as OperationRequest<B>, services),
  };
}

/** Returns the shape of a write's response. `meta`: the schema of `Meta`. `beside`: the schemas of further fields. */
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

/** A JSON Schema (2020-12) of a record. */
export interface RecordSchema<T = unknown> {
  /** Its name in the description of the API, such as `KeyRequest`. */
  readonly name: string;
  readonly schema: ObjectSchema;
  /** Never present: it ties the schema to its type. */
  readonly of?: T;
}

/** The schema of an object with known fields. */
export interface ObjectSchema {
  readonly [keyword: string]: unknown;
  /** The title for people, such as `Key request`. */
  readonly title: string;
  readonly type: "object";
}
