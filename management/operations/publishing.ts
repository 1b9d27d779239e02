// The operation at `/apis/streams/{id}/publish`, which adds an API to the catalogue of the portal.

import { type Offer, offerSchema } from "../generated/offer.ts";
import { type ManagedOperation, managed } from "../operation.ts";
import { publishApi } from "../publishing/publish.ts";
import { writtenWith } from "./answer-shapes.ts";
import { apiOf, noDetail } from "./stream-apis.ts";

export const publishingOperations: readonly ManagedOperation[] = [
  managed<Offer>({
    method: "POST",
    path: "/apis/streams/{id}/publish",
    operationId: "publishStreamApi",
    tag: "Streaming APIs",
    summary: "Publishes an API in the catalogue of the portal, or updates its entry.",
    permission: "write",
    isStreaming: true,
    isPerApi: true,
    body: { record: offerSchema },
    answer: writtenWith("`API published`; a warning if the store does not have the policy."),
    refusals: [403, 404],
    async run(request, services) {
      const { store, settings, log } = services;
      const api = await apiOf(request, services, "write", noDetail);
      const problems = await publishApi(
        { store, address: settings.store, log },
        request.caller,
        api,
        request.body,
      );
      const warnings = problems.map((problem) => ({
        path: "policy_id",
        message: `${problem}.`,
        hint: "Add the policy to the `gateway.yaml` of the portal's gateway; until then, developers cannot see the entry.",
        severity: "warning",
      }));
      const written = { Status: "OK", Message: "API published", Meta: null };
      return warnings.length === 0 ? written : { ...written, Errors: warnings };
    },
  }),
];
