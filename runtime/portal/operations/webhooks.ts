// The operations at `/apps/{id}/webhooks`: events that are sent to apps.

import { eventType } from "../../generated/formats.ts";
import { isHeader } from "../../http/request-fields.ts";
import { refusal, written } from "../../rest/answers.ts";
import { pageParameters, readPage } from "../../rest/lists.ts";
import { type OperationRequest, writtenShape } from "../../rest/operation.ts";
import { deadDeliverySchema } from "../generated/dead-delivery.ts";
import { webhookSchema } from "../generated/webhook.ts";
import { type WebhookEvents, webhookEventsSchema } from "../generated/webhook-events.ts";
import { operation, type PortalOperation, type PortalServices } from "../operation.ts";
import { areHeadersShort, largestEventHeaders, type WebhookEvent } from "../webhook-events.ts";
import { deleteDead, getDead, listDead, replayDead } from "../webhooks/dead-deliveries.ts";
import { isUsableSecret } from "../webhooks/secrets.ts";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  replaceWebhook,
  type WebhookOwner,
} from "../webhooks/webhooks.ts";

const tag = "Webhooks";
const deadPath = "/apps/{id}/webhooks/{webhook}/dead_deliveries";

export const webhookOperations: readonly PortalOperation[] = [
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
    answer: writtenShape(
      "`Message` is its id. `Meta` is the secret if the server generated it, which is shown only once.",
      { type: ["object", "null"], required: ["secret"], properties: { secret: { type: "string" } } },
    ),
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
    volatile: "state",
    answer: { kind: "record", record: webhookSchema },
    refusals: [404],
    run: (request, { store }) => getWebhook(store, ownerOf(request), request.param("webhook")),
  }),
  operation({
    method: "PUT",
    path: "/apps/{id}/webhooks/{webhook}",
    operationId: "replaceWebhook",
    tag,
    summary: "Replaces a webhook. Its secret stays if none is given. Pending deliveries are retried at once.",
    body: { record: webhookSchema },
    answer: { kind: "written", message: "`Data updated`." },
    refusals: [403, 404],
    async run(request, { store, webhooks }) {
      const context = { ...webhooks, store };
      await replaceWebhook(context, ownerOf(request), request.param("webhook"), request.body);
      return written("Data updated");
    },
  }),
  operation({
    method: "DELETE",
    path: "/apps/{id}/webhooks/{webhook}",
    operationId: "deleteWebhook",
    tag,
    summary: "Deletes a webhook with its pending and given-up deliveries.",
    answer: { kind: "written", message: "`Data deleted`." },
    refusals: [404],
    async run(request, { store }) {
      await deleteWebhook(store, ownerOf(request), request.param("webhook"));
      return written("Data deleted");
    },
  }),
  operation({
    method: "GET",
    path: deadPath,
    operationId: "listDeadDeliveries",
    tag,
    summary: "Lists the given-up deliveries of a webhook, oldest first, without their content.",
    parameters: pageParameters,
    answer: { kind: "list", record: deadDeliverySchema },
    refusals: [404],
    run: (request, { store }) =>
      listDead(store, ownerOf(request), request.param("webhook"), readPage(request)),
  }),
  operation({
    method: "GET",
    path: `${deadPath}/{delivery}`,
    operationId: "readDeadDelivery",
    tag,
    summary: "Reads a given-up delivery with its content.",
    answer: { kind: "record", record: deadDeliverySchema },
    refusals: [404],
    run: (request, { store }) =>
      getDead(store, ownerOf(request), request.param("webhook"), request.param("delivery")),
  }),
  operation({
    method: "DELETE",
    path: `${deadPath}/{delivery}`,
    operationId: "deleteDeadDelivery",
    tag,
    summary: "Deletes a delivery that was given up.",
    answer: { kind: "written", message: "`Data deleted`." },
    refusals: [404],
    async run(request, { store }) {
      await deleteDead(store, ownerOf(request), request.param("webhook"), request.param("delivery"));
      return written("Data deleted");
    },
  }),
  operation({
    method: "POST",
    path: `${deadPath}/{delivery}/replay`,
    operationId: "replayDeadDelivery",
    tag,
    summary: "Replays a given-up delivery under the same id, after all pending deliveries.",
    answer: { kind: "written", message: "Number of replayed deliveries: 1." },
    refusals: [404, 409],
    run: (request, services) => replay(request, services, request.param("delivery")),
  }),
  operation({
    method: "POST",
    path: "/apps/{id}/webhooks/{webhook}/replay",
    operationId: "replayDeadDeliveries",
    tag,
    summary: "Replays all given-up deliveries of a webhook.",
    answer: { kind: "written", message: "Number of replayed deliveries." },
    refusals: [404, 409],
    run: (request, services) => replay(request, services),
  }),
  operation({
    method: "POST",
    path: "/webhooks/events",
    operationId: "publishEvents",
    tag,
    summary: "Accepts events for their subscribers. The events are stored before the response is sent.",
    body: { record: webhookEventsSchema, isLarge: true },
    answer: { kind: "written", message: "Number of accepted events." },
    async run({ organisation, body }, { webhooks }) {
      const events = body.events.map(readEvent);
      await webhooks.take(organisation, events);
      return written(String(events.length));
    },
  }),
];

async function replay(
  request: Pick<OperationRequest, "organisation" | "param">,
  { store, webhooks }: PortalServices,
  delivery?: string,
): Promise<object> {
  const count = await replayDead(store, ownerOf(request), request.param("webhook"), delivery);
  webhooks.wake();
  return written(String(count));
}

function ownerOf({ organisation, param }: Pick<OperationRequest, "organisation" | "param">): WebhookOwner {
  return { organisation, app: param("id") };
}

/** Reads an event of a body. Throws a 422, without quoting the event, if it cannot be sent or signed. */
function readEvent(given: WebhookEvents["events"][number], index: number): WebhookEvent {
  const { event_type: event, headers = {}, secret, body } = given;
  const errors = [
    ...(eventType.accepts(event) ? [] : [`event_type: is not ${eventType.expected}`]),
    ...(areHeadersShort({ event, headers }) ? [] : [`headers: are larger than ${largestEventHeaders} bytes`]),
    ...(Object.entries(headers).every(([name, value]) => isHeader(name, value))
      ? []
      : ["headers: one is not a valid HTTP header"]),
    ...(secret === undefined || isUsableSecret(secret) ? [] : ["secret: cannot sign"]),
    ...(isBase64(body) ? [] : ["body: is not base64"]),
  ];
  if (errors.length > 0) {
    const places = errors.map((error) => `events.${index}.${error}`);
    throw refusal(422, `${webhookEventsSchema.schema.title} object validation failed.`, places);
  }
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    event,
    headers: { "content-type": "application/json", ...Object.fromEntries(lower) },
    ...(secret !== undefined && { secret }),
    body: Buffer.from(body, "base64"),
  };
}

/** Whether a text is base64 with padding. */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}
