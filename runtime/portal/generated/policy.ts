// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";

/** Fields that stand at several places. */
export interface MessageRate {
  /** Messages let through in `per`. */
  readonly rate: number;
  /** Seconds that `rate` counts in. */
  readonly per: number;
}

/** Their schemas. */
export const messageRateFields = {
  rate: {
    type: "number",
    description: "Messages let through in `per`.",
    minimum: 0
  },
  per: {
    type: "number",
    description: "Seconds that `rate` counts in.",
    minimum: 0
  }
};

/** Fields that stand at several places. */
export interface MessageLimit {
  /** Messages that a client sends on a socket. */
  readonly from_client?: MessageRate;
  /** Messages that a client gets on a socket or event stream; further ones wait. */
  readonly to_client?: MessageRate;
  /** What becomes of a client that sends too fast: it is read more slowly, or its socket is closed with 1008. */
  readonly when_exceeded?: "slow" | "close";
}

/** Their schemas. */
export const messageLimitFields = {
  from_client: {
    type: "object",
    description: "Messages that a client sends on a socket.",
    additionalProperties: false,
    required: [
      "rate",
      "per"
    ],
    properties: messageRateFields
  },
  to_client: {
    type: "object",
    description: "Messages that a client gets on a socket or event stream; further ones wait.",
    additionalProperties: false,
    required: [
      "rate",
      "per"
    ],
    properties: messageRateFields
  },
  when_exceeded: {
    type: "string",
    description: "What becomes of a client that sends too fast: it is read more slowly, or its socket is closed with 1008.",
    enum: [
      "slow",
      "close"
    ],
    default: "slow"
  }
};

/** Fields that stand at several places. */
export interface Limit {
  /** Requests let through in `per`. */
  readonly rate?: number;
  /** Seconds that `rate` counts in. */
  readonly per?: number;
  /** Requests let through until the quota is renewed; -1 for any number. */
  readonly quota_max?: number;
  /** Seconds until the quota is renewed. */
  readonly quota_renewal_rate?: number;
  /** Requests left of the quota. */
  readonly quota_remaining?: number;
  /** When the quota is renewed next, in Unix seconds. */
  readonly quota_renews?: number;
  /** Seconds between attempts of requests that were held back. */
  readonly throttle_interval?: number;
  /** Attempts of requests that were held back. */
  readonly throttle_retry_limit?: number;
  /** Deepest GraphQL query; -1 for any. */
  readonly max_query_depth?: number;
  /** Sockets, event streams and requests being answered at a time; 0 for any number. */
  readonly max_connections?: number;
  /** Most messages that one socket or event stream carries. */
  readonly message_limit?: MessageLimit;
}

/** Their schemas. */
export const limitFields = {
  rate: {
    type: "number",
    description: "Requests let through in `per`.",
    minimum: 0
  },
  per: {
    type: "number",
    description: "Seconds that `rate` counts in.",
    minimum: 0
  },
  quota_max: {
    type: "integer",
    description: "Requests let through until the quota is renewed; -1 for any number.",
    minimum: -1
  },
  quota_renewal_rate: {
    type: "integer",
    description: "Seconds until the quota is renewed.",
    minimum: 0
  },
  quota_remaining: {
    type: "integer",
    description: "Requests left of the quota."
  },
  quota_renews: {
    type: "integer",
    description: "When the quota is renewed next, in Unix seconds.",
    minimum: 0
  },
  throttle_interval: {
    type: "number",
    description: "Seconds between attempts of requests that were held back."
  },
  throttle_retry_limit: {
    type: "integer",
    description: "Attempts of requests that were held back."
  },
  max_query_depth: {
    type: "integer",
    description: "Deepest GraphQL query; -1 for any."
  },
  max_connections: {
    type: "integer",
    description: "Sockets, event streams and requests being answered at a time; 0 for any number.",
    minimum: 0
  },
  message_limit: {
    type: "object",
    title: "MessageLimit",
    description: "Most messages that one socket or event stream carries.",
    additionalProperties: false,
    properties: messageLimitFields
  }
};

/** One policy. */
export interface Policy {
  /** Id that keys name it by. */
  readonly id?: string;
  /** Name for people. */
  readonly name: string;
  /** Organisation it belongs to. */
  readonly org_id?: string;
  /** Requests let through in `per`. */
  readonly rate?: number;
  /** Seconds that `rate` counts in. */
  readonly per?: number;
  /** Requests let through until the quota is renewed; -1 for any number. */
  readonly quota_max?: number;
  /** Seconds until the quota is renewed. */
  readonly quota_renewal_rate?: number;
  /** Seconds between attempts of requests that were held back. */
  readonly throttle_interval?: number;
  /** Attempts of requests that were held back. */
  readonly throttle_retry_limit?: number;
  /** Deepest GraphQL query; -1 for any. */
  readonly max_query_depth?: number;
  /** Sockets, event streams and requests being answered at a time; 0 for any number. */
  readonly max_connections?: number;
  /** Most messages that one socket or event stream carries. */
  readonly message_limit?: MessageLimit;
  /** What may be called, by the id of the API. */
  readonly access_rights?: Readonly<Record<string, {
    /** Id of the API, as the key it stands under. */
    readonly api_id?: string;
    /** Name of the API, for people. */
    readonly api_name?: string;
    /** Versions that may be called; all where it is not written, none where it is empty. */
    readonly versions?: readonly string[];
    /** Paths and methods that may be called; all where it is not written, none where it is empty. */
    readonly allowed_urls?: readonly {
      /** Regular expression found in paths below the listen path, which begin with `/`. */
      readonly url: string;
      /** Methods that may be used; all where it is not written, none where it is empty. */
      readonly methods?: readonly string[];
    }[];
    /** Limits of their own. */
    readonly limit?: Limit;
    /** Name under which its limits are counted. */
    readonly allowance_scope?: string;
    /** Limits of single paths. */
    readonly endpoints?: readonly {
      /** Path below the listen path. */
      readonly path?: string;
      /** Limits by method. */
      readonly methods?: readonly {
        /** Method. */
        readonly name?: string;
        /** Limits of their own. */
        readonly limit?: Limit;
      }[];
    }[];
  }>>;
  /** Whether it applies. */
  readonly active?: boolean;
  /** Whether keys with it are refused. */
  readonly is_inactive?: boolean;
  /** Stage of its life. */
  readonly state?: "active" | "draft" | "deny";
  /** Words to find it by. */
  readonly tags?: readonly string[];
  /** Seconds until keys that the portal makes with it expire; 0 for never. */
  readonly key_expires_in?: number;
  /** What becomes of keys after they expired. */
  readonly post_expiry_action?: "retain" | "delete";
  /** Seconds between expiry and that; -1 for ever. */
  readonly post_expiry_grace_period?: number;
  /** Which parts of it apply to a key. */
  readonly partitions?: {
    /** Its quota. */
    readonly quota?: boolean;
    /** Its rate. */
    readonly rate_limit?: boolean;
    /** Its query depth. */
    readonly complexity?: boolean;
    /** Its access rights. */
    readonly acl?: boolean;
    /** The limits of each API. */
    readonly per_api?: boolean;
  };
  /** Anything else about it. */
  readonly meta_data?: Readonly<Record<string, unknown>>;
  /** How its rate grows and shrinks with use. */
  readonly smoothing?: Readonly<Record<string, unknown>>;
  /** Whether its keys sign requests. */
  readonly hmac_enabled?: boolean;
}

/** `Policy` as JSON Schema 2020-12. */
export const policySchema: RecordSchema<Policy> = {
  name: "Policy",
  schema: {
    title: "Policy",
    description: "One policy.",
    type: "object",
    additionalProperties: false,
    required: [
      "name"
    ],
    properties: {
      id: {
        type: "string",
        description: "Id that keys name it by.",
        readOnly: true
      },
      name: {
        type: "string",
        description: "Name for people.",
        minLength: 1
      },
      org_id: {
        type: "string",
        description: "Organisation it belongs to.",
        readOnly: true
      },
      rate: {
        type: "number",
        description: "Requests let through in `per`.",
        minimum: 0
      },
      per: {
        type: "number",
        description: "Seconds that `rate` counts in.",
        minimum: 0
      },
      quota_max: {
        type: "integer",
        description: "Requests let through until the quota is renewed; -1 for any number.",
        minimum: -1
      },
      quota_renewal_rate: {
        type: "integer",
        description: "Seconds until the quota is renewed.",
        minimum: 0
      },
      throttle_interval: {
        type: "number",
        description: "Seconds between attempts of requests that were held back."
      },
      throttle_retry_limit: {
        type: "integer",
        description: "Attempts of requests that were held back."
      },
      max_query_depth: {
        type: "integer",
        description: "Deepest GraphQL query; -1 for any."
      },
      max_connections: {
        type: "integer",
        description: "Sockets, event streams and requests being answered at a time; 0 for any number.",
        minimum: 0
      },
      message_limit: {
        type: "object",
        title: "MessageLimit",
        description: "Most messages that one socket or event stream carries.",
        additionalProperties: false,
        properties: messageLimitFields
      },
      access_rights: {
        type: "object",
        description: "What may be called, by the id of the API.",
        additionalProperties: {
          type: "object",
          title: "AccessRight",
          description: "What of one API may be called.",
          additionalProperties: false,
          properties: {
            api_id: {
              type: "string",
              description: "Id of the API, as the key it stands under."
            },
            api_name: {
              type: "string",
              description: "Name of the API, for people."
            },
            versions: {
              type: "array",
              description: "Versions that may be called; all where it is not written, none where it is empty.",
              items: {
                type: "string"
              }
            },
            allowed_urls: {
              type: "array",
              description: "Paths and methods that may be called; all where it is not written, none where it is empty.",
              items: {
                type: "object",
                description: "Paths and their methods.",
                additionalProperties: false,
                title: "AllowedUrl",
                required: [
                  "url"
                ],
                properties: {
                  url: {
                    type: "string",
                    description: "Regular expression found in paths below the listen path, which begin with `/`.",
                    examples: [
                      "^/orders/[0-9]+$"
                    ]
                  },
                  methods: {
                    type: "array",
                    description: "Methods that may be used; all where it is not written, none where it is empty.",
                    items: {
                      type: "string"
                    }
                  }
                }
              }
            },
            limit: {
              type: "object",
              title: "AccessLimits",
              description: "Limits of their own.",
              additionalProperties: false,
              properties: limitFields
            },
            allowance_scope: {
              type: "string",
              description: "Name under which its limits are counted."
            },
            endpoints: {
              type: "array",
              description: "Limits of single paths.",
              items: {
                type: "object",
                description: "Limits of one path.",
                additionalProperties: false,
                title: "EndpointLimit",
                properties: {
                  path: {
                    type: "string",
                    description: "Path below the listen path."
                  },
                  methods: {
                    type: "array",
                    description: "Limits by method.",
                    items: {
                      type: "object",
                      description: "Limits of one method.",
                      additionalProperties: false,
                      title: "EndpointMethod",
                      properties: {
                        name: {
                          type: "string",
                          description: "Method."
                        },
                        limit: {
                          type: "object",
                          title: "AccessLimits",
                          description: "Limits of their own.",
                          additionalProperties: false,
                          properties: limitFields
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      },
      active: {
        type: "boolean",
        description: "Whether it applies.",
        default: true
      },
      is_inactive: {
        type: "boolean",
        description: "Whether keys with it are refused.",
        default: false
      },
      state: {
        type: "string",
        description: "Stage of its life.",
        enum: [
          "active",
          "draft",
          "deny"
        ]
      },
      tags: {
        type: "array",
        description: "Words to find it by.",
        items: {
          type: "string"
        }
      },
      key_expires_in: {
        type: "integer",
        description: "Seconds until keys that the portal makes with it expire; 0 for never.",
        minimum: 0
      },
      post_expiry_action: {
        type: "string",
        description: "What becomes of keys after they expired.",
        enum: [
          "retain",
          "delete"
        ]
      },
      post_expiry_grace_period: {
        type: "integer",
        description: "Seconds between expiry and that; -1 for ever.",
        minimum: -1
      },
      partitions: {
        type: "object",
        description: "Which parts of it apply to a key.",
        additionalProperties: false,
        title: "PolicyPartitions",
        properties: {
          quota: {
            type: "boolean",
            description: "Its quota.",
            default: false
          },
          rate_limit: {
            type: "boolean",
            description: "Its rate.",
            default: false
          },
          complexity: {
            type: "boolean",
            description: "Its query depth.",
            default: false
          },
          acl: {
            type: "boolean",
            description: "Its access rights.",
            default: false
          },
          per_api: {
            type: "boolean",
            description: "The limits of each API.",
            default: false
          }
        }
      },
      meta_data: {
        type: "object",
        description: "Anything else about it."
      },
      smoothing: {
        type: "object",
        description: "How its rate grows and shrinks with use."
      },
      hmac_enabled: {
        type: "boolean",
        description: "Whether its keys sign requests.",
        default: false
      }
    }
  },
};
