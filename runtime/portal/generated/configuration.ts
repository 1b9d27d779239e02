// Generated from schemas/portal/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../rest/operation.ts";

/** Fields that stand at several places. */
export interface SignUpEmail {
  /** What it is about; a text of its own without one. */
  readonly subject?: string;
  /** Its text, which the link follows; a text of its own without one. */
  readonly body?: string;
  /** The end of the text. */
  readonly sign_off?: string;
}

/** Their schemas. */
export const signUpEmailFields = {
  subject: {
    type: "string",
    description: "What it is about; a text of its own without one."
  },
  body: {
    type: "string",
    description: "Its text, which the link follows; a text of its own without one."
  },
  sign_off: {
    type: "string",
    description: "The end of the text."
  }
};

/** Fields that stand at several places. */
export interface EmailText {
  /** Whether it is sent. */
  readonly enabled?: boolean;
  /** What it is about. */
  readonly subject?: string;
  /** Its text. */
  readonly body?: string;
  /** The end of the text. */
  readonly sign_off?: string;
  /** Whether the credential is left out. */
  readonly hide_token_data?: boolean;
}

/** Their schemas. */
export const emailTextFields = {
  enabled: {
    type: "boolean",
    description: "Whether it is sent."
  },
  subject: {
    type: "string",
    description: "What it is about."
  },
  body: {
    type: "string",
    description: "Its text."
  },
  sign_off: {
    type: "string",
    description: "The end of the text."
  },
  hide_token_data: {
    type: "boolean",
    description: "Whether the credential is left out."
  }
};

/** Fields that stand at several places. */
export interface MailOptions {
  /** Who they are from. */
  readonly mail_from_name?: string;
  /** Address that they are from; without one it is that of `portal.smtp`. */
  readonly mail_from_email?: string;
  /** What they say. */
  readonly email_copy?: {
    /** To a new developer. */
    readonly welcome_email?: EmailText;
    /** To the developer of an approved request, with the credential. */
    readonly key_email?: EmailText;
    /** To a developer whose password was changed. */
    readonly reset_password_email?: EmailText;
    /** To an address of a new sign-up, with a link. */
    readonly sign_up_email?: SignUpEmail;
    /** To an address of a sign-up that has an account already. */
    readonly sign_up_known_email?: SignUpEmail;
    /** To a developer who has forgotten the password, with a link. */
    readonly password_link_email?: SignUpEmail;
    /** To an address that is invited to a team, with a link. */
    readonly team_invitation_email?: SignUpEmail;
  };
}

/** Their schemas. */
export const mailOptionsFields = {
  mail_from_name: {
    type: "string",
    description: "Who they are from."
  },
  mail_from_email: {
    type: "string",
    description: "Address that they are from; without one it is that of `portal.smtp`."
  },
  email_copy: {
    type: "object",
    description: "What they say.",
    additionalProperties: false,
    properties: {
      welcome_email: {
        type: "object",
        description: "To a new developer.",
        additionalProperties: false,
        properties: emailTextFields
      },
      key_email: {
        type: "object",
        description: "To the developer of an approved request, with the credential.",
        additionalProperties: false,
        properties: emailTextFields
      },
      reset_password_email: {
        type: "object",
        description: "To a developer whose password was changed.",
        additionalProperties: false,
        properties: emailTextFields
      },
      sign_up_email: {
        type: "object",
        description: "To an address of a new sign-up, with a link.",
        additionalProperties: false,
        properties: signUpEmailFields
      },
      sign_up_known_email: {
        type: "object",
        description: "To an address of a sign-up that has an account already.",
        additionalProperties: false,
        properties: signUpEmailFields
      },
      password_link_email: {
        type: "object",
        description: "To a developer who has forgotten the password, with a link.",
        additionalProperties: false,
        properties: signUpEmailFields
      },
      team_invitation_email: {
        type: "object",
        description: "To an address that is invited to a team, with a link.",
        additionalProperties: false,
        properties: signUpEmailFields
      }
    }
  }
};

/** How the portal of an organisation works. */
export interface Configuration {
  /** Its id. */
  readonly id?: string;
  /** Organisation it belongs to. */
  readonly org_id?: string;
  /** What people are asked when they sign up: names of fields, or objects with `name`, `label` and `required`; other items are kept for pages. */
  readonly signup_fields?: readonly unknown[];
  /** What is asked of those who ask for access; for pages. */
  readonly key_request_fields?: readonly unknown[];
  /** Whether requests wait for approval; `false` approves them as they are made. */
  readonly require_key_approval?: boolean;
  /** Whether `redirect_to` is gone to after a request; for pages. */
  readonly redirect_on_key_request?: boolean;
  /** Where to; for pages. */
  readonly redirect_to?: string;
  /** Whether requests extend a key that the developer has. */
  readonly enable_multi_selection?: boolean;
  /** Whether pages disable logging in; for pages. */
  readonly disable_login?: boolean;
  /** Whether pages disable signing up; for pages. */
  readonly disable_signup?: boolean;
  /** Whether those who signed up have to log in afterwards. */
  readonly disable_auto_login?: boolean;
  /** Whether only those who logged in see the catalogue; for pages. */
  readonly catalogue_login_only?: boolean;
  /** Most tokens of an OAuth client that hold at once; -1 or 0 for any number. */
  readonly oauth_usage_limit?: number;
  /** Address of those who run the portal; kept as it is. */
  readonly email?: string;
  /** E-mails to developers. */
  readonly mail_options?: MailOptions;
  /** In a catalogue entry: whether it takes the place of the organisation's configuration. */
  readonly override?: boolean;
  /** Kept as it is: of keys nothing but hashes is stored anyway. */
  readonly HashKeys?: boolean;
}

/** `Configuration` as JSON Schema 2020-12. */
export const configurationSchema: RecordSchema<Configuration> = {
  name: "Configuration",
  schema: {
    title: "Configuration",
    description: "How the portal of an organisation works.",
    type: "object",
    additionalProperties: false,
    properties: {
      id: {
        type: "string",
        description: "Its id.",
        readOnly: true
      },
      org_id: {
        type: "string",
        description: "Organisation it belongs to.",
        readOnly: true
      },
      signup_fields: {
        type: "array",
        description: "What people are asked when they sign up: names of fields, or objects with `name`, `label` and `required`; other items are kept for pages.",
        items: {}
      },
      key_request_fields: {
        type: "array",
        description: "What is asked of those who ask for access; for pages.",
        items: {}
      },
      require_key_approval: {
        type: "boolean",
        description: "Whether requests wait for approval; `false` approves them as they are made."
      },
      redirect_on_key_request: {
        type: "boolean",
        description: "Whether `redirect_to` is gone to after a request; for pages."
      },
      redirect_to: {
        type: "string",
        description: "Where to; for pages."
      },
      enable_multi_selection: {
        type: "boolean",
        description: "Whether requests extend a key that the developer has."
      },
      disable_login: {
        type: "boolean",
        description: "Whether pages disable logging in; for pages."
      },
      disable_signup: {
        type: "boolean",
        description: "Whether pages disable signing up; for pages."
      },
      disable_auto_login: {
        type: "boolean",
        description: "Whether those who signed up have to log in afterwards."
      },
      catalogue_login_only: {
        type: "boolean",
        description: "Whether only those who logged in see the catalogue; for pages."
      },
      oauth_usage_limit: {
        type: "integer",
        description: "Most tokens of an OAuth client that hold at once; -1 or 0 for any number.",
        minimum: -1
      },
      email: {
        type: "string",
        description: "Address of those who run the portal; kept as it is."
      },
      mail_options: {
        type: "object",
        description: "E-mails to developers.",
        additionalProperties: false,
        properties: mailOptionsFields
      },
      override: {
        type: "boolean",
        description: "In a catalogue entry: whether it takes the place of the organisation's configuration."
      },
      HashKeys: {
        type: "boolean",
        description: "Kept as it is: of keys nothing but hashes is stored anyway."
      }
    }
  },
};
