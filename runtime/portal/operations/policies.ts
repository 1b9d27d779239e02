// `/policies`: what keys may do.

import { written } from "../answers.ts";
import { policySchema } from "../generated/policy.ts";
import { pageParameters, readPage } from "../lists.ts";
import { type Operation, operation } from "../operation.ts";
import { createPolicy, deletePolicy, getPolicy, listPolicies, replacePolicy } from "../policies/policies.ts";

const tag = "Policies";

export const policyOperations: readonly Operation[] = [
  operation({
    method: "GET",
    path: "/policies",
    operationId: "listPolicies",
    tag,
    summary: "Lists the policies of the organisation, the oldest first.",
    parameters: pageParameters,
    answer: { kind: "list", record: policySchema },
    run: (request, { store }) => listPolicies(store, request.organisation, readPage(request)),
  }),
  operation({
    method: "POST",
    path: "/policies",
    operationId: "createPolicy",
    tag,
    summary: "Makes a policy.",
    body: { record: policySchema },
    answer: { kind: "written", message: "`Message` is its id." },
    refusals: [409],
    run: async ({ organisation, body }, { store }) => written(await createPolicy(store, organisation, body)),
  }),
  operation({
    method: "GET",
    path: "/policies/{id}",
    operationId: "readPolicy",
    tag,
    summary: "Reads a policy.",
    answer: { kind: "record", record: policySchema },
    refusals: [404],
    run: ({ organisation, param }, { store }) => getPolicy(store, organisation, param("id")),
  }),
  operation({
    method: "PUT",
    path: "/policies/{id}",
    operationId: "replacePolicy",
    tag,
    summary: "Replaces a policy as a whole; keys that have it are held to it within a second.",
    body: { record: policySchema },
    answer: { kind: "written", message: "`Data updated`." },
    refusals: [404, 409],
    async run({ organisation, param, body }, { store }) {
      await replacePolicy(store, organisation, param("id"), body);
      return written("Data updated");
    },
  }),
  operation({
    method: "DELETE",
    path: "/policies/{id}",
    operationId: "deletePolicy",
    tag,
    summary: "Deletes a policy; keys that have no other may call nothing within a second.",
    answer: { kind: "written", message: "`Data deleted`." },
    refusals: [404],
    async run({ organisation, param }, { store }) {
      await deletePolicy(store, organisation, param("id"));
      return written("Data deleted");
    },
  }),
];
