// `/apis/streams/{id}/publish`: an API in the catalogue of the portal.

import type { RecordSchema } from "../../runtime/rest/record-schema.ts";
import { type ManagedOperation, managed } from "../operation.ts";
import { type Offer, publishApi } from "../publishing/publish.ts";
import { apiOf } from "./stream-apis.ts";

const offerSchema: RecordSchema<Offer> = {
  name: "Offer",
  schema: {
    title: "Offer",
    description: "What the catalogue says of an API.",
    type: "object",
    additionalProperties: false,
    required: ["policy_id"],
    properties: {
      policy_id: {
        type: "string",
        minLength: 1,
        description: "What access is given by: a policy of the portal or of the gateways' `gateway.yaml`.",
      },
      name: {
        type: "string",
        minLength: 1,
        description: "What people call it; the name of the API by default.",
      },
      short_description: { type: "string", description: "What it is, in a line." },
      long_description: { type: "string", description: "What it is, at length." },
      show: { type: "boolean", description: "Whether pages show it; `true` by default." },
      version: { type: "string", description: "Version that requests name; `v2` by default." },
      auth_type: {
        type: "string",
        description: "What is given: `basic` for a user, `oauth` for a client, anything else for a key.",
      },
      is_keyless: { type: "boolean", description: "Whether it needs no credential." },
      webhooks: {
        type: "object",
        additionalProperties: false,
        required: [],
        description: "What makes it a product that apps subscribe to.",
        properties: {
          enabled: { type: "boolean", description: "Whether apps may subscribe." },
          events: {
            type: "array",
            items: { type: "string" },
            description: "Types of events that they may subscribe to.",
          },
        },
      },
    },
  },
};

export const publishingOperations: readonly ManagedOperation[] = [
  managed<Offer>({
    method: "POST",
    path: "/apis/streams/{id}/publish",
    operationId: "publishStreamApi",
    tag: "Streaming APIs",
    summary: "Puts an API into the catalogue of the portal, or changes what that says of it.",
    permission: "write",
    isStreaming: true,
    body: { record: offerSchema },
    answer: { kind: "written", message: "`API published`." },
    refusals: [404],
    async run(request, services) {
      const { store, settings, log } = services;
      const api = await apiOf(request, services, 404, "Could not retrieve API detail.");
      await publishApi({ store, address: settings.store, log }, request.caller, api, request.body);
      return { Status: "OK", Message: "API published", Meta: null };
    },
  }),
];
