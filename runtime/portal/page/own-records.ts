// The records that developers send and read about themselves, with their JSON Schemas.

import type { RecordSchema } from "../../rest/operation.ts";
import type { BroughtProof } from "../developers/developer-keys.ts";
import type { KeyRequest } from "../generated/key-request.ts";

const texts = { type: "array", items: { type: "string" } } as const;

/** The logged-in developer. */
export interface DeveloperName {
  readonly id: string;
  readonly email: string;
  /** The language that the developer has chosen; empty for none. */
  readonly language: string;
}

/** The JSON Schema of `DeveloperName`. */
export const developerNameSchema: RecordSchema<DeveloperName> = {
  name: "Myself",
  schema: {
    title: "Developer",
    description: "Who has logged in.",
    type: "object",
    additionalProperties: false,
    required: [],
    properties: {
      id: { type: "string" },
      email: { type: "string" },
      language: { type: "string", description: "What the developer has chosen; empty for nothing." },
    },
  },
};

/** An offer of the catalogue to which developers can request access. */
export interface Offer {
  readonly name: string;
  readonly version: string;
  readonly policy: string;
  readonly description: string;
  readonly auth_type: string;
  readonly events: readonly string[];
  readonly has_access: boolean;
  /** The id of the developer's open request for the offer; empty if there is none. */
  readonly request: string;
  readonly has_documentation: boolean;
}

/** The JSON Schema of `Offer`. */
export const offerSchema: RecordSchema<Offer> = {
  name: "Offer",
  schema: {
    title: "Offer",
    description: "Something of the catalogue that access can be asked for.",
    type: "object",
    additionalProperties: false,
    required: [],
    properties: {
      name: { type: "string" },
      version: { type: "string" },
      policy: { type: "string", description: "What to ask for." },
      description: { type: "string" },
      auth_type: { type: "string" },
      events: { ...texts, description: "Events that apps may subscribe to." },
      has_access: { type: "boolean", description: "Whether the developer has access already." },
      request: { type: "string", description: "Id of a request for it that waits; empty without one." },
      has_documentation: { type: "boolean", description: "Whether there is a document about it." },
    },
  },
};

/** A key, user or OAuth client of a developer. */
export interface OwnKey {
  readonly id: string;
  readonly prefix: string;
  readonly kind: "key" | "user" | "client" | "hmac" | "jwt" | "certificate";
  readonly policies: readonly string[];
  readonly limits: readonly string[];
  /** The expiry in Unix seconds; 0 for never. */
  readonly expires: number;
}

/** The JSON Schema of `OwnKey`. */
export const ownKeySchema: RecordSchema<OwnKey> = {
  name: "OwnKey",
  schema: {
    title: "Key",
    description: "A key, user or OAuth client of a developer, without what is secret of it.",
    type: "object",
    additionalProperties: false,
    required: [],
    properties: {
      id: { type: "string", description: "What operations name it by." },
      prefix: { type: "string", description: "The beginning of its id: of keys, of the SHA-256." },
      kind: {
        type: "string",
        enum: ["key", "user", "client", "hmac", "jwt", "certificate"],
        description: "`hmac` signs requests, `jwt` signs tokens, and a certificate stands for `certificate`.",
      },
      policies: { ...texts, description: "Ids of its policies." },
      limits: { ...texts, description: "Limits of those policies, in words." },
      expires: { type: "integer", description: "When it expires, in Unix seconds; 0 for never." },
    },
  },
};

/** A request as its developer sees it. */
export interface OwnRequest extends Pick<KeyRequest, "id" | "apply_policies" | "approved" | "date_created"> {
  readonly name: string;
}

/** The JSON Schema of `OwnRequest`. */
export const ownRequestSchema: RecordSchema<OwnRequest> = {
  name: "OwnRequest",
  schema: {
    title: "Request",
    description: "What a developer has asked for.",
    type: "object",
    additionalProperties: false,
    required: [],
    properties: {
      id: { type: "string" },
      name: { type: "string", description: "What the catalogue calls it." },
      apply_policies: texts,
      approved: { type: "boolean" },
      date_created: { type: "string" },
    },
  },
};

const provingProperties = {
  jwt_secret: { type: "string", description: "Of a key that signs tokens, as requests have it." },
  certificate: { type: "string", description: "Of a client that proves itself by one, in PEM." },
} as const;

/** A request for access. */
export const askingSchema: RecordSchema<{
  readonly policy: string;
  readonly redirect_uri?: string;
  readonly jwt_secret?: string;
  readonly certificate?: string;
  readonly fields?: Readonly<Record<string, string>>;
}> = {
  name: "Asking",
  schema: {
    title: "Asking",
    description: "What access is asked for.",
    type: "object",
    additionalProperties: false,
    required: ["policy"],
    properties: {
      policy: { type: "string", minLength: 1, description: "`policy` of something in the catalogue." },
      redirect_uri: { type: "string", description: "Of an OAuth client." },
      ...provingProperties,
      fields: { type: "object", additionalProperties: { type: "string" } },
    },
  },
};

/** The proof for a replacement of a key. */
export const rotatingSchema: RecordSchema<BroughtProof> = {
  name: "Rotating",
  schema: {
    title: "Replacement",
    description: "What the next key is made of, where its developer brings that.",
    type: "object",
    additionalProperties: false,
    required: [],
    properties: provingProperties,
  },
};

/** An app to create. */
export const newAppSchema: RecordSchema<{
  readonly name: string;
  readonly description?: string;
  readonly products?: readonly string[];
}> = {
  name: "NewApp",
  schema: {
    title: "App",
    description: "An app to be made.",
    type: "object",
    additionalProperties: false,
    required: ["name"],
    properties: {
      name: { type: "string", minLength: 1 },
      description: { type: "string" },
      products: { ...texts, description: "Products that the developer has access to." },
    },
  },
};

/** The credentials of a login. */
export const loggingInSchema: RecordSchema<{ readonly username: string; readonly password: string }> = {
  name: "LoggingIn",
  schema: {
    title: "Login",
    description: "Who logs in.",
    type: "object",
    additionalProperties: false,
    required: ["username", "password"],
    properties: {
      username: { type: "string", minLength: 1, maxLength: 254, description: "E-mail address." },
      password: { type: "string", minLength: 1, maxLength: 1024, writeOnly: true },
    },
  },
};

/** The actions available without logging in. */
export interface Abilities {
  readonly sign_up: boolean;
  readonly password_reset: boolean;
  /** The fields of the sign-up form; absent if there are none. */
  readonly sign_up_fields?: readonly SignUpField[];
  /** `true` if the APIs are at another address than the page, absent otherwise. */
  readonly apis_elsewhere?: boolean;
}

/** A field of the sign-up form. */
export interface SignUpField {
  /** The name of the answer in `fields` of the developer. */
  readonly name: string;
  readonly label: string;
  readonly required: boolean;
}

/** The JSON Schema of `Abilities`. */
export const abilitiesSchema: RecordSchema<Abilities> = {
  name: "Abilities",
  schema: {
    title: "Abilities",
    description: "What people can do without logging in.",
    type: "object",
    additionalProperties: false,
    required: [],
    properties: {
      sign_up: { type: "boolean", description: "Whether they may make an account." },
      password_reset: { type: "boolean", description: "Whether they get a link to choose another password." },
      sign_up_fields: {
        type: "array",
        description: "What they are asked when they sign up; absent where that is nothing.",
        items: {
          type: "object",
          additionalProperties: false,
          required: ["name", "label", "required"],
          properties: {
            name: {
              type: "string",
              description: "What the answer is kept under, in `fields` of the developer.",
            },
            label: { type: "string", description: "What people read." },
            required: { type: "boolean", description: "Whether an answer is required." },
          },
        },
      },
      apis_elsewhere: {
        type: "boolean",
        description: "Whether the APIs are at another address than the page; absent where they are not.",
      },
    },
  },
};

/** A change of the password by a logged-in developer. */
export const ownPasswordSchema: RecordSchema<{ readonly password: string; readonly new_password: string }> = {
  name: "OwnPassword",
  schema: {
    title: "Password",
    description: "Another password, with the present one.",
    type: "object",
    additionalProperties: false,
    required: ["password", "new_password"],
    properties: {
      password: { type: "string", minLength: 1, maxLength: 1024, writeOnly: true },
      new_password: { type: "string", minLength: 1, maxLength: 1024, writeOnly: true },
    },
  },
};

/** A change of the password without a session. */
export const changingSchema: RecordSchema<{
  readonly username: string;
  readonly password: string;
  readonly new_password: string;
}> = {
  name: "ChangingPassword",
  schema: {
    title: "Change of a password",
    description: "Who changes a password, with the one before.",
    type: "object",
    additionalProperties: false,
    required: ["username", "password", "new_password"],
    properties: {
      username: { type: "string", minLength: 1, maxLength: 254 },
      password: { type: "string", minLength: 1, maxLength: 1024, writeOnly: true },
      new_password: { type: "string", minLength: 1, maxLength: 1024, writeOnly: true },
    },
  },
};
