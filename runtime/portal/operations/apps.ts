// The operations at `/apps`: programs of developers, which subscribe to events.

import { written } from "../../rest/answers.ts";
import { pageParameters, readPage } from "../../rest/lists.ts";
import { createApp, deleteApp, listApps, replaceApp } from "../apps/apps.ts";
import { getApp } from "../apps/find-app.ts";
import { appSchema } from "../generated/app.ts";
import { operation, type PortalOperation } from "../operation.ts";

const tag = "Apps";

export const appOperations: readonly PortalOperation[] = [
  operation({
    method: "GET",
    path: "/apps",
    operationId: "listApps",
    tag,
    summary: "Lists the apps of the organisation, the oldest first.",
    parameters: [
      ...pageParameters,
      { name: "by_user", description: "Only those of this developer.", schema: { type: "string" } },
    ],
    answer: { kind: "list", record: appSchema },
    run: (request, { store }) => {
      const developer = request.query.get("by_user");
      const only = typeof developer === "string" ? developer : undefined;
      return listApps(store, request.organisation, readPage(request), only);
    },
  }),
  operation({
    method: "POST",
    path: "/apps",
    operationId: "createApp",
    tag,
    summary: "Creates an app of a developer, for products of the catalogue.",
    body: { record: appSchema },
    answer: { kind: "written", message: "`Message` is its id." },
    run: async ({ organisation, body }, { store }) => written(await createApp(store, organisation, body)),
  }),
  operation({
    method: "GET",
    path: "/apps/{id}",
    operationId: "readApp",
    tag,
    summary: "Reads an app.",
    answer: { kind: "record", record: appSchema },
    refusals: [404],
    run: ({ organisation, param }, { store }) =>
      store.read((connection) => getApp(connection, organisation, param("id"))),
  }),
  operation({
    method: "PUT",
    path: "/apps/{id}",
    operationId: "replaceApp",
    tag,
    summary: "Replaces an app completely. Its webhooks stay.",
    body: { record: appSchema },
    answer: { kind: "written", message: "`Data updated`." },
    refusals: [404],
    async run({ organisation, param, body }, { store }) {
      await replaceApp(store, organisation, param("id"), body);
      return written("Data updated");
    },
  }),
  operation({
    method: "DELETE",
    path: "/apps/{id}",
    operationId: "deleteApp",
    tag,
    summary: "Deletes an app with its webhooks and their pending deliveries.",
    answer: { kind: "written", message: "`Data deleted`." },
    refusals: [404],
    async run({ organisation, param }, { store }) {
      await deleteApp(store, organisation, param("id"));
      return written("Data deleted");
    },
  }),
];
