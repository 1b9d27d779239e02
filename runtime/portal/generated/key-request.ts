// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";

/** Request of a developer for access. */
export interface KeyRequest {
  /** Id of the request. */
  readonly id?: string;
  /** Id of the key of the developer or team to extend. Empty to request a new key. */
  readonly key?: string;
  /** Organisation that the request belongs to. */
  readonly org_id?: string;
  /** Id of an API. Stored without change. */
  readonly for_api?: string;
  /** Requested policy, if `apply_policies` does not name any. */
  readonly for_plan?: string;
  /** Requested policies. */
  readonly apply_policies?: readonly string[];
  /** Policies to remove from a key that is extended. */
  readonly remove_policies?: readonly string[];
  /** Id of the developer who makes the request, or of the team that gets the credential. */
  readonly by_user: string;
  /** Further information that was requested from the developer. `oauth_app_description` and `oauth_use_case` describe an OAuth client. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Whether the request has been approved. Only the approve operation sets this field. */
  readonly approved?: boolean;
  /** Time of creation, in UTC. */
  readonly date_created?: string;
  /** Version of the catalogue entry, such as `v2`. */
  readonly version?: string;
  /** Public key in PEM, or secret of 32 bytes or more, that verifies the tokens of a key that signs them. If empty, a secret is generated. */
  readonly jwt_secret?: string;
  /** Client certificate in PEM, if the API requires certificates. */
  readonly certificate?: string;
  /** Present if an OAuth client is requested. */
  readonly oauth_info?: {
    /** Address that users are redirected to. Separate several addresses with commas. */
    readonly redirect_uri?: string;
  };
  /** Developer who makes the request. */
  readonly portal_developer?: Readonly<Record<string, unknown>>;
  /** Team that gets the credential, instead of `portal_developer`. */
  readonly portal_team?: {
    /** Id of the team. */
    readonly id: string;
    /** Name of the team. */
    readonly name: string;
  };
  /** Catalogue entry of the requested policies. */
  readonly catalogue_entry?: Readonly<Record<string, unknown>>;
  /** All catalogue entries of the requested policies. */
  readonly catalogues?: readonly Readonly<Record<string, unknown>>[];
}

/** `KeyRequest` as JSON Schema 2020-12. */
export const keyRequestSchema: RecordSchema<KeyRequest> = {
  name: "KeyRequest",
  schema: {
    title: "Key request",
    description: "Request of a developer for access.",
    type: "object",
    additionalProperties: false,
    required: [
      "by_user"
    ],
    properties: {
      id: {
        type: "string",
        description: "Id of the request.",
        readOnly: true
      },
      key: {
        type: "string",
        description: "Id of the key of the developer or team to extend. Empty to request a new key."
      },
      org_id: {
        type: "string",
        description: "Organisation that the request belongs to.",
        readOnly: true
      },
      for_api: {
        type: "string",
        description: "Id of an API. Stored without change."
      },
      for_plan: {
        type: "string",
        description: "Requested policy, if `apply_policies` does not name any."
      },
      apply_policies: {
        type: "array",
        description: "Requested policies.",
        items: {
          type: "string"
        }
      },
      remove_policies: {
        type: "array",
        description: "Policies to remove from a key that is extended.",
        items: {
          type: "string"
        }
      },
      by_user: {
        type: "string",
        description: "Id of the developer who makes the request, or of the team that gets the credential.",
        minLength: 1
      },
      fields: {
        type: "object",
        description: "Further information that was requested from the developer. `oauth_app_description` and `oauth_use_case` describe an OAuth client.",
        additionalProperties: {
          type: "string"
        }
      },
      approved: {
        type: "boolean",
        description: "Whether the request has been approved. Only the approve operation sets this field.",
        readOnly: true
      },
      date_created: {
        type: "string",
        description: "Time of creation, in UTC.",
        format: "date-time",
        readOnly: true
      },
      version: {
        type: "string",
        description: "Version of the catalogue entry, such as `v2`."
      },
      jwt_secret: {
        type: "string",
        description: "Public key in PEM, or secret of 32 bytes or more, that verifies the tokens of a key that signs them. If empty, a secret is generated."
      },
      certificate: {
        type: "string",
        description: "Client certificate in PEM, if the API requires certificates."
      },
      oauth_info: {
        type: "object",
        description: "Present if an OAuth client is requested.",
        additionalProperties: false,
        properties: {
          redirect_uri: {
            type: "string",
            description: "Address that users are redirected to. Separate several addresses with commas."
          }
        }
      },
      portal_developer: {
        type: "object",
        description: "Developer who makes the request.",
        readOnly: true
      },
      portal_team: {
        type: "object",
        description: "Team that gets the credential, instead of `portal_developer`.",
        required: [
          "id",
          "name"
        ],
        properties: {
          id: {
            type: "string",
            description: "Id of the team."
          },
          name: {
            type: "string",
            description: "Name of the team."
          }
        },
        readOnly: true
      },
      catalogue_entry: {
        type: "object",
        description: "Catalogue entry of the requested policies.",
        readOnly: true
      },
      catalogues: {
        type: "array",
        description: "All catalogue entries of the requested policies.",
        items: {
          type: "object"
        },
        readOnly: true
      }
    }
  },
};
