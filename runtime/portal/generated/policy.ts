// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";

/** Fields that stand at several places. */
export interface MessageRate {
  /** Number of messages that are allowed in each period of `per` seconds. */
  readonly rate: number;
  /** Seconds of the period to which `rate` applies. */
  readonly per: number;
}

/** Their schemas. */
export const messageRateFields = {
  rate: {
    type: "number",
    description: "Number of messages that are allowed in each period of `per` seconds.",
    minimum: 0
  },
  per: {
    type: "number",
    description: "Seconds of the period to which `rate` applies.",
    minimum: 0
  }
};

/** Fields that stand at several places. */
export interface MessageLimit {
  /** Limit of the messages that a client sends on a socket. */
  readonly from_client?: MessageRate;
  /** Limit of the messages that a client receives on a socket or event stream. Further messages wait. */
  readonly to_client?: MessageRate;
  /** Action if a client exceeds its limit: the gateway reads from it more slowly, or closes its socket with code 1008. */
  readonly when_exceeded?: "slow" | "close";
}

/** Their schemas. */
export const messageLimitFields = {
  from_client: {
    type: "object",
    description: "Limit of the messages that a client sends on a socket.",
    additionalProperties: false,
    required: [
      "rate",
      "per"
    ],
    properties: messageRateFields
  },
  to_client: {
    type: "object",
    description: "Limit of the messages that a client receives on a socket or event stream. Further messages wait.",
    additionalProperties: false,
    required: [
      "rate",
      "per"
    ],
    properties: messageRateFields
  },
  when_exceeded: {
    type: "string",
    description: "Action if a client exceeds its limit: the gateway reads from it more slowly, or closes its socket with code 1008.",
    enum: [
      "slow",
      "close"
    ],
    default: "slow"
  }
};

/** Fields that stand at several places. */
export interface Limit {
  /** Number of requests that are allowed in each period of `per` seconds. */
  readonly rate?: number;
  /** Seconds of the period to which `rate` applies. */
  readonly per?: number;
  /** Number of requests that are allowed until the quota is renewed; -1 for no limit. */
  readonly quota_max?: number;
  /** Seconds until the quota is renewed. */
  readonly quota_renewal_rate?: number;
  /** Remaining requests of the quota. */
  readonly quota_remaining?: number;
  /** Time of the next renewal of the quota, in Unix seconds. */
  readonly quota_renews?: number;
  /** Seconds between retries of throttled requests. */
  readonly throttle_interval?: number;
  /** Number of retries of a throttled request. */
  readonly throttle_retry_limit?: number;
  /** Maximum depth of GraphQL queries; -1 for no limit. */
  readonly max_query_depth?: number;
  /** Maximum number of concurrent sockets, event streams and requests in progress; 0 for no limit. */
  readonly max_connections?: number;
  /** Limits the message rate of each socket or event stream. */
  readonly message_limit?: MessageLimit;
}

/** Their schemas. */
export const limitFields = {
  rate: {
    type: "number",
    description: "Number of requests that are allowed in each period of `per` seconds.",
    minimum: 0
  },
  per: {
    type: "number",
    description: "Seconds of the period to which `rate` applies.",
    minimum: 0
  },
  quota_max: {
    type: "integer",
    description: "Number of requests that are allowed until the quota is renewed; -1 for no limit.",
    minimum: -1
  },
  quota_renewal_rate: {
    type: "integer",
    description: "Seconds until the quota is renewed.",
    minimum: 0
  },
  quota_remaining: {
    type: "integer",
    description: "Remaining requests of the quota."
  },
  quota_renews: {
    type: "integer",
    description: "Time of the next renewal of the quota, in Unix seconds.",
    minimum: 0
  },
  throttle_interval: {
    type: "number",
    description: "Seconds between retries of throttled requests."
  },
  throttle_retry_limit: {
    type: "integer",
    description: "Number of retries of a throttled request."
  },
  max_query_depth: {
    type: "integer",
    description: "Maximum depth of GraphQL queries; -1 for no limit."
  },
  max_connections: {
    type: "integer",
    description: "Maximum number of concurrent sockets, event streams and requests in progress; 0 for no limit.",
    minimum: 0
  },
  message_limit: {
    type: "object",
    title: "MessageLimit",
    description: "Limits the message rate of each socket or event stream.",
    additionalProperties: false,
    properties: messageLimitFields
  }
};

/** One policy. */
export interface Policy {
  /** The id by which keys name it. */
  readonly id?: string;
  /** Display name. */
  readonly name: string;
  /** Owning organisation. */
  readonly org_id?: string;
  /** Number of requests that are allowed in each period of `per` seconds. */
  readonly rate?: number;
  /** Seconds of the period to which `rate` applies. */
  readonly per?: number;
  /** Number of requests that are allowed until the quota is renewed; -1 for no limit. */
  readonly quota_max?: number;
  /** Seconds until the quota is renewed. */
  readonly quota_renewal_rate?: number;
  /** Seconds between retries of throttled requests. */
  readonly throttle_interval?: number;
  /** Number of retries of a throttled request. */
  readonly throttle_retry_limit?: number;
  /** Maximum depth of GraphQL queries; -1 for no limit. */
  readonly max_query_depth?: number;
  /** Maximum number of concurrent sockets, event streams and requests in progress; 0 for no limit. */
  readonly max_connections?: number;
  /** Limits the message rate of each socket or event stream. */
  readonly message_limit?: MessageLimit;
  /** Access rights by the id of the API. */
  readonly access_rights?: Readonly<Record<string, {
    /** Id of the API, equal to the key of this entry. */
    readonly api_id?: string;
    /** Display name of the API. */
    readonly api_name?: string;
    /** Versions that may be called. If it is omitted, all versions may be called; if it is empty, none. */
    readonly versions?: readonly string[];
    /** Paths and methods that may be called. If it is omitted, all may be called; if it is empty, none. */
    readonly allowed_urls?: readonly {
      /** Regular expression that is searched in the path below the listen path. This path begins with `/`. */
      readonly url: string;
      /** Methods that may be used. If it is omitted, all may be used; if it is empty, none. */
      readonly methods?: readonly string[];
    }[];
    /** Rate, quota and connection limits. */
    readonly limit?: Limit;
    /** Name of the scope in which the limits are counted. */
    readonly allowance_scope?: string;
    /** Limits for individual paths. */
    readonly endpoints?: readonly {
      /** Path below the listen path. */
      readonly path?: string;
      /** Limits by method. */
      readonly methods?: readonly {
        /** Method. */
        readonly name?: string;
        /** Rate, quota and connection limits. */
        readonly limit?: Limit;
      }[];
    }[];
  }>>;
  /** Whether it applies. */
  readonly active?: boolean;
  /** Refuses keys that have this policy. */
  readonly is_inactive?: boolean;
  /** Lifecycle state. */
  readonly state?: "active" | "draft" | "deny";
  /** Tags for searching. */
  readonly tags?: readonly string[];
  /** Seconds until keys that the portal creates with this policy expire; 0 for never. */
  readonly key_expires_in?: number;
  /** Action on keys after they have expired. */
  readonly post_expiry_action?: "retain" | "delete";
  /** Seconds between the expiry of a key and the action; -1 for never. */
  readonly post_expiry_grace_period?: number;
  /** Parts of the policy that apply to a key. */
  readonly partitions?: {
    /** Applies the quota of the policy. */
    readonly quota?: boolean;
    /** Applies the rate limit of the policy. */
    readonly rate_limit?: boolean;
    /** Applies the query depth limit of the policy. */
    readonly complexity?: boolean;
    /** Applies the access rights of the policy. */
    readonly acl?: boolean;
    /** Applies the limits of each API. */
    readonly per_api?: boolean;
  };
  /** Additional metadata. */
  readonly meta_data?: Readonly<Record<string, unknown>>;
  /** Adapts the rate limit to the use. */
  readonly smoothing?: Readonly<Record<string, unknown>>;
  /** Whether keys with this policy sign requests. */
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
        description: "The id by which keys name it.",
        readOnly: true
      },
      name: {
        type: "string",
        description: "Display name.",
        minLength: 1
      },
      org_id: {
        type: "string",
        description: "Owning organisation.",
        readOnly: true
      },
      rate: {
        type: "number",
        description: "Number of requests that are allowed in each period of `per` seconds.",
        minimum: 0
      },
      per: {
        type: "number",
        description: "Seconds of the period to which `rate` applies.",
        minimum: 0
      },
      quota_max: {
        type: "integer",
        description: "Number of requests that are allowed until the quota is renewed; -1 for no limit.",
        minimum: -1
      },
      quota_renewal_rate: {
        type: "integer",
        description: "Seconds until the quota is renewed.",
        minimum: 0
      },
      throttle_interval: {
        type: "number",
        description: "Seconds between retries of throttled requests."
      },
      throttle_retry_limit: {
        type: "integer",
        description: "Number of retries of a throttled request."
      },
      max_query_depth: {
        type: "integer",
        description: "Maximum depth of GraphQL queries; -1 for no limit."
      },
      max_connections: {
        type: "integer",
        description: "Maximum number of concurrent sockets, event streams and requests in progress; 0 for no limit.",
        minimum: 0
      },
      message_limit: {
        type: "object",
        title: "MessageLimit",
        description: "Limits the message rate of each socket or event stream.",
        additionalProperties: false,
        properties: messageLimitFields
      },
      access_rights: {
        type: "object",
        description: "Access rights by the id of the API.",
        additionalProperties: {
          type: "object",
          title: "AccessRight",
          description: "Access rights for one API.",
          additionalProperties: false,
          properties: {
            api_id: {
              type: "string",
              description: "Id of the API, equal to the key of this entry."
            },
            api_name: {
              type: "string",
              description: "Display name of the API."
            },
            versions: {
              type: "array",
              description: "Versions that may be called. If it is omitted, all versions may be called; if it is empty, none.",
              items: {
                type: "string"
              }
            },
            allowed_urls: {
              type: "array",
              description: "Paths and methods that may be called. If it is omitted, all may be called; if it is empty, none.",
              items: {
                type: "object",
                description: "A path pattern and its methods.",
                additionalProperties: false,
                title: "AllowedUrl",
                required: [
                  "url"
                ],
                properties: {
                  url: {
                    type: "string",
                    description: "Regular expression that is searched in the path below the listen path. This path begins with `/`.",
                    examples: [
                      "^/orders/[0-9]+$"
                    ]
                  },
                  methods: {
                    type: "array",
                    description: "Methods that may be used. If it is omitted, all may be used; if it is empty, none.",
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
              description: "Rate, quota and connection limits.",
              additionalProperties: false,
              properties: limitFields
            },
            allowance_scope: {
              type: "string",
              description: "Name of the scope in which the limits are counted."
            },
            endpoints: {
              type: "array",
              description: "Limits for individual paths.",
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
                          description: "Rate, quota and connection limits.",
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
        description: "Refuses keys that have this policy.",
        default: false
      },
      state: {
        type: "string",
        description: "Lifecycle state.",
        enum: [
          "active",
          "draft",
          "deny"
        ]
      },
      tags: {
        type: "array",
        description: "Tags for searching.",
        items: {
          type: "string"
        }
      },
      key_expires_in: {
        type: "integer",
        description: "Seconds until keys that the portal creates with this policy expire; 0 for never.",
        minimum: 0
      },
      post_expiry_action: {
        type: "string",
        description: "Action on keys after they have expired.",
        enum: [
          "retain",
          "delete"
        ]
      },
      post_expiry_grace_period: {
        type: "integer",
        description: "Seconds between the expiry of a key and the action; -1 for never.",
        minimum: -1
      },
      partitions: {
        type: "object",
        description: "Parts of the policy that apply to a key.",
        additionalProperties: false,
        title: "PolicyPartitions",
        properties: {
          quota: {
            type: "boolean",
            description: "Applies the quota of the policy.",
            default: false
          },
          rate_limit: {
            type: "boolean",
            description: "Applies the rate limit of the policy.",
            default: false
          },
          complexity: {
            type: "boolean",
            description: "Applies the query depth limit of the policy.",
            default: false
          },
          acl: {
            type: "boolean",
            description: "Applies the access rights of the policy.",
            default: false
          },
          per_api: {
            type: "boolean",
            description: "Applies the limits of each API.",
            default: false
          }
        }
      },
      meta_data: {
        type: "object",
        description: "Additional metadata."
      },
      smoothing: {
        type: "object",
        description: "Adapts the rate limit to the use."
      },
      hmac_enabled: {
        type: "boolean",
        description: "Whether keys with this policy sign requests.",
        default: false
      }
    }
  },
};
