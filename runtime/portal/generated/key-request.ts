// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";

/** What a developer asks access with. */
export interface KeyRequest {
  /** Its id. */
  readonly id?: string;
  /** Id of a key of the developer or team that is to be extended; empty for another one. */
  readonly key?: string;
  /** Organisation it belongs to. */
  readonly org_id?: string;
  /** Id of an API; kept as it is. */
  readonly for_api?: string;
  /** Policy that is asked for, where `apply_policies` names none. */
  readonly for_plan?: string;
  /** Policies that are asked for. */
  readonly apply_policies?: readonly string[];
  /** Policies that a key which is extended loses. */
  readonly remove_policies?: readonly string[];
  /** Id of the developer who asks, or of the team that is to have the credential. */
  readonly by_user: string;
  /** Whatever else was asked of the developer; `oauth_app_description` and `oauth_use_case` describe an OAuth client. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Whether it has been approved; approving is the only way to that. */
  readonly approved?: boolean;
  /** When it was made, in UTC. */
  readonly date_created?: string;
  /** Version of the catalogue entry, such as `v2`. */
  readonly version?: string;
  /** What verifies the tokens of a key that signs them: a public key in PEM, or a secret of 32 bytes or more; empty to have a secret made. */
  readonly jwt_secret?: string;
  /** Certificate of a client in PEM, where the API asks for certificates. */
  readonly certificate?: string;
  /** There where an OAuth client is asked for. */
  readonly oauth_info?: {
    /** Where its users go back to; several with commas between them. */
    readonly redirect_uri?: string;
  };
  /** The developer who asks. */
  readonly portal_developer?: Readonly<Record<string, unknown>>;
  /** The team that is to have the credential, in place of `portal_developer`. */
  readonly portal_team?: {
    /** Its id. */
    readonly id: string;
    /** What it is called. */
    readonly name: string;
  };
  /** The catalogue entry of the policies asked for. */
  readonly catalogue_entry?: Readonly<Record<string, unknown>>;
  /** All catalogue entries of these policies. */
  readonly catalogues?: readonly Readonly<Record<string, unknown>>[];
}

/** `KeyRequest` as JSON Schema 2020-12. */
export const keyRequestSchema: RecordSchema<KeyRequest> = {
  name: "KeyRequest",
  schema: {
    title: "Key request",
    description: "What a developer asks access with.",
    type: "object",
    additionalProperties: false,
    required: [
      "by_user"
    ],
    properties: {
      id: {
        type: "string",
        description: "Its id.",
        readOnly: true
      },
      key: {
        type: "string",
        description: "Id of a key of the developer or team that is to be extended; empty for another one."
      },
      org_id: {
        type: "string",
        description: "Organisation it belongs to.",
        readOnly: true
      },
      for_api: {
        type: "string",
        description: "Id of an API; kept as it is."
      },
      for_plan: {
        type: "string",
        description: "Policy that is asked for, where `apply_policies` names none."
      },
      apply_policies: {
        type: "array",
        description: "Policies that are asked for.",
        items: {
          type: "string"
        }
      },
      remove_policies: {
        type: "array",
        description: "Policies that a key which is extended loses.",
        items: {
          type: "string"
        }
      },
      by_user: {
        type: "string",
        description: "Id of the developer who asks, or of the team that is to have the credential.",
        minLength: 1
      },
      fields: {
        type: "object",
        description: "Whatever else was asked of the developer; `oauth_app_description` and `oauth_use_case` describe an OAuth client.",
        additionalProperties: {
          type: "string"
        }
      },
      approved: {
        type: "boolean",
        description: "Whether it has been approved; approving is the only way to that.",
        readOnly: true
      },
      date_created: {
        type: "string",
        description: "When it was made, in UTC.",
        format: "date-time",
        readOnly: true
      },
      version: {
        type: "string",
        description: "Version of the catalogue entry, such as `v2`."
      },
      jwt_secret: {
        type: "string",
        description: "What verifies the tokens of a key that signs them: a public key in PEM, or a secret of 32 bytes or more; empty to have a secret made."
      },
      certificate: {
        type: "string",
        description: "Certificate of a client in PEM, where the API asks for certificates."
      },
      oauth_info: {
        type: "object",
        description: "There where an OAuth client is asked for.",
        additionalProperties: false,
        properties: {
          redirect_uri: {
            type: "string",
            description: "Where its users go back to; several with commas between them."
          }
        }
      },
      portal_developer: {
        type: "object",
        description: "The developer who asks.",
        readOnly: true
      },
      portal_team: {
        type: "object",
        description: "The team that is to have the credential, in place of `portal_developer`.",
        required: [
          "id",
          "name"
        ],
        properties: {
          id: {
            type: "string",
            description: "Its id."
          },
          name: {
            type: "string",
            description: "What it is called."
          }
        },
        readOnly: true
      },
      catalogue_entry: {
        type: "object",
        description: "The catalogue entry of the policies asked for.",
        readOnly: true
      },
      catalogues: {
        type: "array",
        description: "All catalogue entries of these policies.",
        items: {
          type: "object"
        },
        readOnly: true
      }
    }
  },
};
