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
    description: "The developer who has logged in.",
    type: "object",
    additionalProperties: false,
    required: [],
    properties: {
      id: { type: "string" },
      email: { type: "string" },
      language: { type: "string", description: "The language that the developer has chosen; empty if none." },
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
    description: "An entry of the catalogue that developers can request access to.",
    type: "object",
    additionalProperties: false,
    required: [],
    properties: {
      name: { type: "string" },
      version: { type: "string" },
      policy: { type: "string", description: "The policy to request." },
      description: { type: "string" },
      auth_type: { type: "string" },
      events: { ...texts, description: "Events that apps may subscribe to." },
      has_access: { type: "boolean", description: "Whether the developer has access already." },
      request: { type: "string", description: "Id of the pending request for it; empty if there is none." },
      has_documentation: { type: "boolean", description: "Whether it has documentation." },
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
    description: "A key, user or OAuth client of a developer, without its secret.",
    type: "object",
    additionalProperties: false,
    required: [],
    properties: {
      id: { type: "string", description: "The id that operations take." },
      prefix: { type: "string", description: "The beginning of its id; for keys, of their SHA-256 digest." },
      kind: {
        type: "string",
        enum: ["key", "user", "client", "hmac", "jwt", "certificate"],
        description:
          "Keys of the kind `hmac` sign requests, and those of the kind `jwt` sign tokens. `certificate` is a client certificate.",
      },
      policies: { ...texts, description: "Ids of its policies." },
      limits: { ...texts, description: "The limits of these policies as texts." },
      expires: { type: "integer", description: "Time of expiry in Unix seconds; 0 if it never expires." },
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
    description: "An access request of a developer.",
    type: "object",
    additionalProperties: false,
    required: [],
    properties: {
      id: { type: "string" },
      name: { type: "string", description: "Its name in the catalogue." },
      apply_policies: texts,
      approved: { type: "boolean" },
      date_created: { type: "string" },
    },
  },
};

const provingProperties = {
  jwt_secret: {
    type: "string",
    description: "For keys that sign tokens: a public key, a secret or the address of a key set.",
  },
  certificate: {
    type: "string",
    description: "For client certificates: the certificate or certificate request in PEM.",
  },
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
    description: "A request for access to an entry of the catalogue.",
    type: "object",
    additionalProperties: false,
    required: ["policy"],
    properties: {
      policy: { type: "string", minLength: 1, description: "`policy` of an entry of the catalogue." },
      redirect_uri: { type: "string", description: "The redirect URI of an OAuth client." },
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
    description: "The public key or certificate of the replacement, if the developer provides it.",
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
    description: "An app to create.",
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
    description: "The credentials of a login.",
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
  /** The fields that visitors fill in to register; absent if there are none. */
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
    description: "What visitors can do without logging in.",
    type: "object",
    additionalProperties: false,
    required: [],
    properties: {
      sign_up: { type: "boolean", description: "Whether visitors may create an account." },
      password_reset: {
        type: "boolean",
        description: "Whether visitors can request a link to reset a password.",
      },
      sign_up_fields: {
        type: "array",
        description: "The fields that visitors fill in to register; absent if there are none.",
        items: {
          type: "object",
          additionalProperties: false,
          required: ["name", "label", "required"],
          properties: {
            name: {
              type: "string",
              description: "The name of the answer in `fields` of the developer.",
            },
            label: { type: "string", description: "The label of the field." },
            required: { type: "boolean", description: "Whether an answer is required." },
          },
        },
      },
      apis_elsewhere: {
        type: "boolean",
        description: "`true` if the APIs have another address than the page, absent otherwise.",
      },
    },
  },
};

/** A change of the password by a logged-in developer. */
export const ownPasswordSchema: RecordSchema<{ readonly password: string; readonly new_password: string }> = {
  name: "OwnPassword",
  schema: {
    title: "Password",
    description: "The current and the new password.",
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
    title: "Password change",
    description: "The user name, the current password and the new password.",
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
