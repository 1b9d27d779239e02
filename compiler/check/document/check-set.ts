// A set of read documents to what is known about it as a whole. Says what is wrong with the shape of
// every value and with what values mean together; mappings and queries are checked elsewhere.

import { documentSchemas } from "../../../schemas/catalogue.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { type ApiPlace, placesOf } from "../../model/places.ts";
import { isServed } from "../../model/served.ts";
import { spanOf } from "../../source/source.ts";
import type { ApiDocument, ApiSet, StreamNode } from "../../trees/api.ts";
import { fieldsOf } from "../../trees/fields.ts";
import { checkComponent } from "./check-component.ts";
import { checkApiShape } from "./check-shapes.ts";
import { checkValues } from "./check-values.ts";
import { componentsOf, declaredApart } from "./components.ts";
import { findMounted } from "./mounted.ts";
import { collectRoutes, type Route } from "./routes.ts";
import { checkSurroundings } from "./rules/surroundings.ts";
import { apiRules, setRules, settingsRules, streamRules } from "./rules.ts";
import { checkShape } from "./shape.ts";
import type { Tenant } from "./tenant.ts";

/** A set whose documents were checked. */
export interface CheckedSet {
  readonly set: ApiSet;
  /** Where requests find the APIs that are served, and those of the whole. */
  readonly places: readonly ApiPlace[];
  /** Every route of the APIs that are served, in the order written; of a part, those of the whole. */
  readonly routes: readonly Route[];
}

/**
 * Checks all documents of a set and how they go together, with others where it is a part of a `whole`. Documents of a
 * `tenant` read only what it may read.
 */
export function checkSet(set: ApiSet, report: Report, whole: ApiSet, tenant: Tenant | undefined): CheckedSet {
  checkSettings(set, report);
  for (const api of set.apis) {
    checkApi(api, report);
    checkSurroundings(api, tenant, report);
  }
  return { set, ...checkTogether(whole, report) };
}

/** Checks how the documents of a set go together, and nothing else of them. Gives where they are found. */
export function checkTogether(set: ApiSet, report: Report): Pick<CheckedSet, "places" | "routes"> {
  const served = set.apis.filter(isServed);
  const mounted = findMounted(served, set);
  const places = placesOf(served, mounted);
  const routes = served.flatMap((api) =>
    collectRoutes(
      api,
      places.find((place) => place.api === api),
    ),
  );
  for (const rule of setRules) rule({ set, served, mounted, places, routes }, report);
  return { places, routes };
}

function checkSettings({ settings, settingsFile, settingsFields }: ApiSet, report: Report): void {
  if (settings === undefined) return;
  const start = settingsFile === undefined ? settings.span : spanOf(settingsFile, 0, 0);
  const place = { node: settings, name: "gateway.yaml", nameSpan: start, schema: documentSchemas.gateway };
  checkShape(place, settingsFields, report);
  for (const rule of settingsRules) rule(settings, report);
  if (settingsFields === undefined) return;
  checkValues({ ...place, value: settingsFields }, report);
  // Where messages that failed go in all streams is an output like any other.
  for (const field of fieldsOf({ settingsFields, apis: [] }))
    if (field.kind === "Component") checkComponent(field.component, report);
}

function checkApi(api: ApiDocument, report: Report): void {
  checkApiShape(api, report);
  if (api.gatewayFields !== undefined) {
    const value = api.gatewayFields;
    const place = { name: "x-gw-api-gateway", nameSpan: value.span, schema: documentSchemas.apiGateway };
    checkValues({ ...place, value }, report);
  }
  for (const rule of apiRules) rule(api, report);
  for (const stream of api.streams) checkStream(stream, api, report);
}

function checkStream(stream: StreamNode, api: ApiDocument, report: Report): void {
  for (const component of [...componentsOf(stream), ...declaredApart(stream)])
    checkComponent(component, report);
  for (const rule of streamRules) rule(stream, api, report);
}
