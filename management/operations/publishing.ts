// `/apis/streams/{id}/publish`: an API in the catalogue of the portal.

import { type Offer, offerSchema } from "../generated/offer.ts";
import { type ManagedOperation, managed } from "../operation.ts";
import { publishApi } from "../publishing/publish.ts";
import { apiOf, noDetail } from "./stream-apis.ts";

export const publishingOperations: readonly ManagedOperation[] = [
  managed<Offer>({
    method: "POST",
    path: "/apis/streams/{id}/publish",
    operationId: "publishStreamApi",
    tag: "Streaming APIs",
    summary: "Puts an API into the catalogue of the portal, or changes what that says of it.",
    permission: "write",
    isStreaming: true,
    isPerApi: true,
    body: { record: offerSchema },
    answer: { kind: "written", message: "`API published`." },
    refusals: [403, 404],
    async run(request, services) {
      const { store, settings, log } = services;
      const api = await apiOf(request, services, "write", noDetail);
      await publishApi({ store, address: settings.store, log }, request.caller, api, request.body);
      return { Status: "OK", Message: "API published", Meta: null };
    },
  }),
];
