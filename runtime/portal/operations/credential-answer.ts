import type { AnswerShape } from "../../rest/operation.ts";

/** The response of operations that issue a credential. */
export const credentialAnswer: AnswerShape = {
  kind: "other",
  description: "The credential, which is shown only once.",
  schema: {
    oneOf: [
      {
        type: "object",
        description:
          "A key; the name and password of a user; the name and secret of a signing key; the fingerprint of a certificate; empty if an existing key of the developer was extended.",
        required: ["RawKey", "Password"],
        properties: {
          RawKey: { type: "string" },
          Password: { type: "string" },
          certificate: { type: "string", description: "A certificate in PEM that was signed for a request." },
        },
      },
      {
        type: "object",
        description: "An OAuth client.",
        required: ["client_id", "secret", "policy_id", "redirect_uri"],
        properties: {
          client_id: { type: "string" },
          secret: { type: "string" },
          policy_id: { type: "string" },
          redirect_uri: { type: "string" },
        },
      },
    ],
  },
};
