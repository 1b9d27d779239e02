// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";

/** Fields that stand at several places. */
export interface SignUpEmail {
  /** Subject of the e-mail. If not set, a default subject is used. */
  readonly subject?: string;
  /** Text of the e-mail, before the link. If not set, a default text is used. */
  readonly body?: string;
  /** Closing of the text. */
  readonly sign_off?: string;
}

/** Their schemas. */
export const signUpEmailFields = {
  subject: {
    type: "string",
    description: "Subject of the e-mail. If not set, a default subject is used."
  },
  body: {
    type: "string",
    description: "Text of the e-mail, before the link. If not set, a default text is used."
  },
  sign_off: {
    type: "string",
    description: "Closing of the text."
  }
};

/** Fields that stand at several places. */
export interface EmailText {
  /** Whether the e-mail is sent. */
  readonly enabled?: boolean;
  /** Subject of the e-mail. */
  readonly subject?: string;
  /** Text of the e-mail. */
  readonly body?: string;
  /** Closing of the text. */
  readonly sign_off?: string;
  /** Whether the credential is omitted. */
  readonly hide_token_data?: boolean;
}

/** Their schemas. */
export const emailTextFields = {
  enabled: {
    type: "boolean",
    description: "Whether the e-mail is sent."
  },
  subject: {
    type: "string",
    description: "Subject of the e-mail."
  },
  body: {
    type: "string",
    description: "Text of the e-mail."
  },
  sign_off: {
    type: "string",
    description: "Closing of the text."
  },
  hide_token_data: {
    type: "boolean",
    description: "Whether the credential is omitted."
  }
};

/** Fields that stand at several places. */
export interface MailOptions {
  /** Sender name. */
  readonly mail_from_name?: string;
  /** Sender address. Defaults to that of `portal.smtp`. */
  readonly mail_from_email?: string;
  /** Texts of the e-mails. */
  readonly email_copy?: {
    /** E-mail to a new developer. */
    readonly welcome_email?: EmailText;
    /** E-mail to the developer of an approved request, with the credential. */
    readonly key_email?: EmailText;
    /** E-mail to a developer whose password was changed. */
    readonly reset_password_email?: EmailText;
    /** E-mail to the address of a new sign-up, with a link. */
    readonly sign_up_email?: SignUpEmail;
    /** E-mail to the address of a sign-up that already has an account. */
    readonly sign_up_known_email?: SignUpEmail;
    /** E-mail to a developer who has forgotten the password, with a link. */
    readonly password_link_email?: SignUpEmail;
    /** E-mail to an address that is invited to a team, with a link. */
    readonly team_invitation_email?: SignUpEmail;
  };
}

/** Their schemas. */
export const mailOptionsFields = {
  mail_from_name: {
    type: "string",
    description: "Sender name."
  },
  mail_from_email: {
    type: "string",
    description: "Sender address. Defaults to that of `portal.smtp`."
  },
  email_copy: {
    type: "object",
    description: "Texts of the e-mails.",
    additionalProperties: false,
    properties: {
      welcome_email: {
        type: "object",
        description: "E-mail to a new developer.",
        additionalProperties: false,
        properties: emailTextFields
      },
      key_email: {
        type: "object",
        description: "E-mail to the developer of an approved request, with the credential.",
        additionalProperties: false,
        properties: emailTextFields
      },
      reset_password_email: {
        type: "object",
        description: "E-mail to a developer whose password was changed.",
        additionalProperties: false,
        properties: emailTextFields
      },
      sign_up_email: {
        type: "object",
        description: "E-mail to the address of a new sign-up, with a link.",
        additionalProperties: false,
        properties: signUpEmailFields
      },
      sign_up_known_email: {
        type: "object",
        description: "E-mail to the address of a sign-up that already has an account.",
        additionalProperties: false,
        properties: signUpEmailFields
      },
      password_link_email: {
        type: "object",
        description: "E-mail to a developer who has forgotten the password, with a link.",
        additionalProperties: false,
        properties: signUpEmailFields
      },
      team_invitation_email: {
        type: "object",
        description: "E-mail to an address that is invited to a team, with a link.",
        additionalProperties: false,
        properties: signUpEmailFields
      }
    }
  }
};

/** Portal settings of an organisation. */
export interface Configuration {
  /** Id of the configuration. */
  readonly id?: string;
  /** Organisation that the configuration belongs to. */
  readonly org_id?: string;
  /** Questions at sign-up: names of fields, or objects with `name`, `label` and `required`. Other items are stored for pages. */
  readonly signup_fields?: readonly unknown[];
  /** Questions for access requests. Used by pages only. */
  readonly key_request_fields?: readonly unknown[];
  /** Whether requests wait for approval. `false` approves them when they are made. */
  readonly require_key_approval?: boolean;
  /** Whether to redirect to `redirect_to` after a request. Used by pages only. */
  readonly redirect_on_key_request?: boolean;
  /** Address to redirect to. Used by pages only. */
  readonly redirect_to?: string;
  /** Whether requests extend an existing key of the developer. */
  readonly enable_multi_selection?: boolean;
  /** Whether pages disable login. Used by pages only. */
  readonly disable_login?: boolean;
  /** Whether pages disable sign-up. Used by pages only. */
  readonly disable_signup?: boolean;
  /** Whether users have to log in after sign-up. */
  readonly disable_auto_login?: boolean;
  /** Whether only logged-in users see the catalogue. Used by pages only. */
  readonly catalogue_login_only?: boolean;
  /** Maximum number of valid access tokens of an OAuth client at once. -1 and 0 mean 1000. */
  readonly oauth_usage_limit?: number;
  /** Address of the portal operators. Stored without change. */
  readonly email?: string;
  /** E-mails to developers. */
  readonly mail_options?: MailOptions;
  /** In a catalogue entry: whether it replaces the configuration of the organisation. */
  readonly override?: boolean;
  /** Stored without change. Keys are always stored as hashes only. */
  readonly HashKeys?: boolean;
}

/** `Configuration` as JSON Schema 2020-12. */
export const configurationSchema: RecordSchema<Configuration> = {
  name: "Configuration",
  schema: {
    title: "Configuration",
    description: "Portal settings of an organisation.",
    type: "object",
    additionalProperties: false,
    properties: {
      id: {
        type: "string",
        description: "Id of the configuration.",
        readOnly: true
      },
      org_id: {
        type: "string",
        description: "Organisation that the configuration belongs to.",
        readOnly: true
      },
      signup_fields: {
        type: "array",
        description: "Questions at sign-up: names of fields, or objects with `name`, `label` and `required`. Other items are stored for pages.",
        items: {}
      },
      key_request_fields: {
        type: "array",
        description: "Questions for access requests. Used by pages only.",
        items: {}
      },
      require_key_approval: {
        type: "boolean",
        description: "Whether requests wait for approval. `false` approves them when they are made."
      },
      redirect_on_key_request: {
        type: "boolean",
        description: "Whether to redirect to `redirect_to` after a request. Used by pages only."
      },
      redirect_to: {
        type: "string",
        description: "Address to redirect to. Used by pages only."
      },
      enable_multi_selection: {
        type: "boolean",
        description: "Whether requests extend an existing key of the developer."
      },
      disable_login: {
        type: "boolean",
        description: "Whether pages disable login. Used by pages only."
      },
      disable_signup: {
        type: "boolean",
        description: "Whether pages disable sign-up. Used by pages only."
      },
      disable_auto_login: {
        type: "boolean",
        description: "Whether users have to log in after sign-up."
      },
      catalogue_login_only: {
        type: "boolean",
        description: "Whether only logged-in users see the catalogue. Used by pages only."
      },
      oauth_usage_limit: {
        type: "integer",
        description: "Maximum number of valid access tokens of an OAuth client at once. -1 and 0 mean 1000.",
        minimum: -1
      },
      email: {
        type: "string",
        description: "Address of the portal operators. Stored without change."
      },
      mail_options: {
        type: "object",
        description: "E-mails to developers.",
        additionalProperties: false,
        properties: mailOptionsFields
      },
      override: {
        type: "boolean",
        description: "In a catalogue entry: whether it replaces the configuration of the organisation."
      },
      HashKeys: {
        type: "boolean",
        description: "Stored without change. Keys are always stored as hashes only."
      }
    }
  },
};
