// `/apps/{id}/webhooks`: events that apps are told of.

import { written } from "../answers.ts";
import { webhookSchema } from "../generated/webhook.ts";
import { pageParameters, readPage } from "../lists.ts";
import { type Operation, type OperationRequest, operation } from "../operation.ts";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  type Owner,
  replaceWebhook,
} from "../webhooks/webhooks.ts";

const tag = "Webhooks";

export const webhookOperations: readonly Operation[] = [
  operation({
    method: "GET",
    path: "/apps/{id}/webhooks",
    operationId: "listWebhooks",
    tag,
    summary: "Lists the webhooks of an app, the oldest first, without their secrets.",
    parameters: pageParameters,
    answer: { kind: "list", record: webhookSchema },
    refusals: [404],
    run: (request, { store }) => listWebhooks(store, ownerOf(request), readPage(request)),
  }),
  operation({
    method: "POST",
    path: "/apps/{id}/webhooks",
    operationId: "createWebhook",
    tag,
    summary: "Subscribes an app to events that its products offer.",
    body: { record: webhookSchema },
    answer: {
      kind: "other",
      description:
        "`Message` is its id; `Meta` is the secret where the server made it, which is told this once only.",
      schema: {
        type: "object",
        required: ["Status", "Message", "Meta"],
        properties: {
          Status: { const: "OK" },
          Message: { type: "string" },
          Meta: {
            type: ["object", "null"],
            required: ["secret"],
            properties: { secret: { type: "string" } },
          },
        },
      },
    },
    refusals: [403, 404],
    async run(request, { webhooks }) {
      const { id, secret } = await createWebhook(webhooks, ownerOf(request), request.body);
      return secret === undefined ? written(id) : { ...written(id), Meta: { secret } };
    },
  }),
  operation({
    method: "GET",
    path: "/apps/{id}/webhooks/{webhook}",
    operationId: "readWebhook",
    tag,
    summary: "Reads a webhook, without its secret.",
    answer: { kind: "record", record: webhookSchema },
    refusals: [404],
    run: (request, { store }) => getWebhook(store, ownerOf(request), request.param("webhook")),
  }),
  operation({
    method: "PUT",
    path: "/apps/{id}/webhooks/{webhook}",
    operationId: "replaceWebhook",
    tag,
    summary: "Replaces a webhook; its secret stays where none is given. What waits is tried again at once.",
    body: { record: webhookSchema },
    answer: { kind: "written", message: "`Data updated`." },
    refusals: [403, 404],
    async run(request, { webhooks }) {
      await replaceWebhook(webhooks, ownerOf(request), request.param("webhook"), request.body);
      return written("Data updated");
    },
  }),
  operation({
    method: "DELETE",
    path: "/apps/{id}/webhooks/{webhook}",
    operationId: "deleteWebhook",
    tag,
    summary: "Deletes a webhook, what it still had to deliver and what it could not.",
    answer: { kind: "written", message: "`Data deleted`." },
    refusals: [404],
    async run(request, { store }) {
      await deleteWebhook(store, ownerOf(request), request.param("webhook"));
      return written("Data deleted");
    },
  }),
];

function ownerOf({ organisation, param }: Pick<OperationRequest, "organisation" | "param">): Owner {
  return { organisation, app: param("id") };
}
